import { eld } from 'eld/extrasmall'
import type { Passage } from '../passages.ts'

const SAMPLE = 6000
const SAMPLES = 12

/** Detects the main language of a text (ISO 639-1) from samples across it; null if inconclusive. */
export function languageOf(passages: readonly Passage[]): string | null {
  const step = Math.max(1, Math.floor(passages.length / SAMPLES))
  const sample = passages
    .filter((_, index) => index % step === 0)
    .map(({ content }) => content.slice(0, SAMPLE / SAMPLES))
    .join(' ')
    .slice(0, SAMPLE)
  const found = eld.detect(sample)
  return found.isReliable() ? found.language : null
}
