import { Unreadable } from '../errors.ts'
import type { About, OutlineEntry } from './about.ts'
import type { Cover } from './cover.ts'

/** A run of text under one heading. */
export type Section = {
  /** The page on which the text starts; null in a document without pages. */
  readonly page: number | null
  /** The headings above the text, from the outermost, joined by ' › '. */
  readonly heading: string | null
  readonly text: string
  /** The start of `text` in UTF-16 units: in the source for a text file, in the first page's text for a PDF. */
  readonly start: number
  /** Where in `text` later pages begin, in UTF-16 units. */
  readonly turns?: readonly { readonly at: number; readonly page: number }[]
}

export type Extraction = {
  readonly sections: readonly Section[]
  /** The actual type of the content, whatever the file name says. */
  readonly mimeType: string
  readonly pages: number | null
  /** HTML with the same text, for content that browsers cannot display directly; it must be sanitized before
   *  display. */
  readonly rendition?: string
  readonly about?: Partial<About>
  /** The headings in reading order, for a table of contents. */
  readonly outline?: readonly OutlineEntry[]
  /** The picture that the file itself has for its cover. */
  readonly cover?: Cover | null
}

/** Characters that are read in one step, which has to end within the two seconds of processor time that a hosted call has:
 *  a million characters of HTML or XML take up to 0.25 s, of a mail 0.3 s, of plain text, Markdown or CSV 0.07 s. */
export const MOST_MARKUP = 6_000_000
export const MOST_TEXT = 16_000_000

/** @throws {Unreadable} when there are more characters than that. */
export function refuseLong(characters: number, most: number): void {
  if (characters <= most) return
  throw new Unreadable('text_too_long', { count: Math.ceil(characters / 100_000) / 10, limit: most / 1_000_000 })
}

type Heading = { readonly level: number; name: string; hasText: boolean }

/** Keeps track of the path of headings while a text is read from top to bottom. */
export class HeadingPath {
  readonly #names: Heading[] = []

  /** @param level Any number; a heading ends all headings of its own level and of higher numbers. 0 ends all.
   *  @returns those that had no text under them: they are a text themselves. */
  enter(level: number, name: string): Pick<Section, 'heading' | 'text'>[] {
    const ended: Heading[] = []
    while (this.#names.length > 0 && (this.#names.at(-1)?.level ?? 0) >= level) ended.unshift(...this.#names.splice(-1))
    const text = ended.flatMap(({ name, hasText }) => (hasText ? [] : [name])).join('\n')
    const left = text ? [{ heading: this.#path(), text }] : []
    if (name) this.#names.push({ level, name, hasText: false })
    return left
  }

  /** Appends to the innermost heading: a heading over two lines is one heading. */
  extend(name: string): void {
    const last = this.#names.at(-1)
    if (last) last.name = `${last.name} ${name}`
  }

  /** The path above a text that has been read. */
  aboveText(): string | null {
    for (const heading of this.#names) heading.hasText = true
    return this.#path()
  }

  #path(): string | null {
    return (
      this.#names
        .map(({ name }) => name)
        .join(' › ')
        .slice(0, 500) || null
    )
  }
}

/** A text as it stands in HTML. */
export const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? sign)
