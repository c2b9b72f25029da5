import { eld } from 'eld/extrasmall'
import { Unreadable } from '../errors.ts'
import { cutPassages, type Passage } from '../passages.ts'
import { type About, chooseTitle, MAX_OUTLINE_ENTRIES, type OutlineEntry } from './about.ts'
import type { Cover } from './cover.ts'
import type { Extraction } from './extraction.ts'

const SAMPLE = 6000
const SAMPLES = 12

/** Detects the main language of a text (ISO 639-1) from samples across it; null if inconclusive. */
function languageOf(passages: readonly Passage[]): string | null {
  const step = Math.max(1, Math.floor(passages.length / SAMPLES))
  const sample = passages
    .filter((_, index) => index % step === 0)
    .map(({ content }) => content.slice(0, SAMPLE / SAMPLES))
    .join(' ')
    .slice(0, SAMPLE)
  const detected = eld.detect(sample)
  return detected.isReliable() ? detected.language : null
}

export type Reading = About & {
  readonly passages: readonly Passage[]
  readonly mimeType: string
  readonly pages: number | null
  readonly rendition: string | null
  readonly width: number | null
  readonly height: number | null
  /** ISO 639-1; null if unknown. */
  readonly language: string | null
  readonly outline: OutlineEntry[] | null
  readonly cover: Cover | null
}

/** Keeps one document from filling the index: about two million words, a large reference work. */
const MAX_PASSAGES = 10_000

/** Cuts an extraction into passages. @param readable See cutPassages. @throws {Unreadable} if there are too many. */
export function readingOf(
  { sections, mimeType, pages, rendition, about, outline = [], cover = null }: Extraction,
  readable?: (source: string) => string,
): Reading {
  const passages = cutPassages(sections, readable)
  // A first heading that isn't above all others is a chapter's, not the title.
  const [first, ...others] = outline
  const isTitle = pages === null && sections[0]?.heading && others.every(({ level }) => level > (first?.level ?? 0))
  if (passages.length > MAX_PASSAGES) {
    throw new Unreadable('too_many_passages', { count: passages.length, limit: MAX_PASSAGES })
  }
  return {
    passages,
    mimeType,
    pages,
    rendition: rendition ?? null,
    width: null,
    height: null,
    language: languageOf(passages),
    title: about?.title ?? (first && isTitle ? chooseTitle(first.title) : null),
    author: about?.author ?? null,
    dated: about?.dated ?? null,
    reference: about?.reference ?? null,
    outline: outline.length > 0 ? outline.slice(0, MAX_OUTLINE_ENTRIES) : null,
    cover,
  }
}
