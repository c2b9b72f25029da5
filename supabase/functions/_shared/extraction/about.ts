import type { Reference } from './reference.ts'

export type OutlineEntry = {
  readonly title: string
  /** Starts at 1, the outermost. */
  readonly level: number
  /** Starts at 1; null in a document without pages. */
  readonly page: number | null
}

export type About = {
  readonly reference: Reference | null
  readonly title: string | null
  readonly author: string | null
  readonly dated: string | null
}

/** In characters. A longer "title" is usually an abstract. */
const MAX_TITLE_LENGTH = 200
const MAX_AUTHOR_LENGTH = 300
export const MAX_OUTLINE_ENTRIES = 2000

const NO_TITLE =
  /^(?:untitled (?:document|page)|(?:new|neues) (?:document|dokument)|document sans (?:nom|titre)|documento sin título|documento senza (?:nome|titolo)|dokument ohne titel|(?:pr[eé]senta\S+|apresenta\S+)(?: standard)? (?:d\S+ )?(?:microsoft )?powerpoint|untitled|unbenannt|sans titre|no title|title|titel|document|dokument|presentation|präsentation|powerpoint[- ].*|slide|folie|folder|book|mappe|sheet|tabelle|blank|layout|cover|home|index|contents?|table of contents|inhaltsverzeichnis|scan|img|image)[ _-]?\d*$|^\(?microsoft (?:word|powerpoint|excel)\b|^\((?:anonymous|unspecified)\)$|\.(?:docx?|dotx?|pdf|tex|dvi|e?ps|indd|qxd|fm|odt|rtf|pptx?|xlsx?|html?|xhtml|txt|md|pages|key)$|^(?:[a-z]:)?[\\/]|\\|^file:|^[\d\s._-]*$|^[0-9a-f-]{16,}$/i
const CHAPTER =
  /^(?:foreword|preface|introduction|abstract|conclusions?|summary|vorwort|einleitung|zusammenfassung|préface)$|^(?:chapter|part|section|kapitel|teil|abschnitt|chapitre)\s+[\divxlc]+\b|^\d+(?:\.\d+)*[.)]?\s+\p{Lu}/iu
const CHAPTER_NUMBER = /^(?:\p{L}+ )?[\divxlc]+(?:\.\d+)*[.):] (?=.*\p{L}{4})/iu
const IDENTIFIER =
  /^(?:isbn|issn|pii|doi|arxiv)\b[\s:\d]|^(?:https?:\/\/\S+\/)?10\.\d{4,9}\/\S+$|^S\d{4}-?\d{3}[\dX]\S*$|^https?:\/\/\S+$/i

/** Returns the first candidate that is a real title, not a placeholder or the name of a file (`report_final`). */
export const chooseTitle = (...candidates: readonly (string | null | undefined)[]): string | null =>
  candidates.map(tidy).find((text) => isTitle(text) && !/^\S+_\S+$/.test(text)) ?? null

/** Like chooseTitle, for pages and books, whose authors write titles: `pg_ctl`, `1984` or “Chapter 2. Lamps” may be one. */
export const choosePageTitle = (title: string | null | undefined): string | null =>
  [tidy(title)].find((text) => isTitle(text.replace(CHAPTER_NUMBER, '')) || /^\d{1,4}$/.test(text)) ?? null

const isTitle = (text: string): boolean =>
  /\p{L}{2}/u.test(text) &&
  text.length <= MAX_TITLE_LENGTH &&
  !NO_TITLE.test(text) &&
  !CHAPTER.test(text) &&
  !IDENTIFIER.test(text)

/** @param names Names of one or several authors. @returns null if none is a real name. */
export function chooseAuthor(...names: readonly (string | null | undefined)[]): string | null {
  const known = [...new Set(names.map(tidy))].filter(
    (name) =>
      /\p{L}/u.test(name) &&
      !/^(?:unknown|user|admin|administrator|author|\(?anonymous\)?|microsoft office user|owner|python-docx)$/i.test(
        name,
      ),
  )
  return known.join(', ').slice(0, MAX_AUTHOR_LENGTH) || null
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')

/** Returns the day of a PDF (D:20230115…), ISO 8601 or RFC 5322 date, in its own zone; null if implausible. */
export function dayOf(text: string | null | undefined, now: Date = new Date()): string | null {
  const [, year = '', month = '01', day = '01'] = /^\s*(?:D:)?(\d{4})-?(\d{2})?-?(\d{2})?/.exec(text ?? '') ?? []
  const [, date = '', name = '', of = ''] = /\b(\d{1,2})[ -]([a-z]{3})[a-z]*[ -](\d{4}|\d\d)\b/i.exec(text ?? '') ?? []
  const written = year
    ? `${year}-${month}-${day}`
    : `${of.length === 2 ? (of < '50' ? '20' : '19') : ''}${of}-${twoDigits(MONTHS.indexOf(name.toLowerCase()) + 1)}-${twoDigits(date)}`
  const parsed = new Date(`${written}T00:00:00Z`)
  if (Number.isNaN(parsed.getTime()) || parsed.getTime() > now.getTime() + 86_400_000) return null
  // Windows' dates start in 1601: one that isn't set is the first of them.
  return parsed.getUTCFullYear() < 1400 || written === '1601-01-01' ? null : parsed.toISOString().slice(0, 10)
}

const twoDigits = (number: string | number): string => `${number}`.padStart(2, '0')

const tidy = (text: string | null | undefined): string =>
  (text ?? '')
    .replace(/[\s\p{Cc}\p{Cf}\ufffd]+/gu, ' ')
    .trim()
    .toWellFormed()
