import { Unreadable } from '../errors.ts'
import type { About, OutlineEntry } from './about.ts'
import type { Cover } from './cover.ts'

export type Section = {
  readonly page: number | null
  readonly heading: string | null
  readonly text: string
  /** The start of `text` in UTF-16 units: in the source for a text file, in the first page's text for a PDF. */
  readonly start: number
  readonly turns?: readonly { readonly at: number; readonly page: number }[]
}

export type Extraction = {
  readonly sections: readonly Section[]
  /** The detected type, whatever the file name says. */
  readonly mimeType: string
  readonly pages: number | null
  /** HTML for content that browsers can't display. Sanitize it before display. */
  readonly rendition?: string
  readonly about?: Partial<About>
  readonly outline?: readonly OutlineEntry[]
  readonly cover?: Cover | null
}

/** Limits in characters for one step, which has to stay within the two seconds of CPU time of a hosted call. A million
 *  characters take up to 0.25 s as HTML or XML, 0.3 s as mail, and 0.07 s as plain text, Markdown or CSV. */
export const MAX_MARKUP_LENGTH = 6_000_000
export const MAX_TEXT_LENGTH = 16_000_000

export function refuseLong(characters: number, most: number): void {
  if (characters <= most) return
  throw new Unreadable('text_too_long', { count: Math.ceil(characters / 100_000) / 10, limit: most / 1_000_000 })
}

/** The database's limit, in characters. */
export const MAX_HEADING_LENGTH = 500

type Heading = { readonly level: number; name: string; hasText: boolean }

/** Tracks the path of headings while a text is read from top to bottom. */
export class HeadingPath {
  readonly #names: Heading[] = []

  /** @param level A heading closes all headings of the same or a higher level number. 0 closes all.
   *  @returns the closed headings without text below them, which count as text themselves. */
  enter(level: number, name: string): Pick<Section, 'heading' | 'text'>[] {
    const ended: Heading[] = []
    while (this.#names.length > 0 && (this.#names.at(-1)?.level ?? 0) >= level) ended.unshift(...this.#names.splice(-1))
    const text = ended.flatMap(({ name, hasText }) => (hasText ? [] : [name])).join('\n')
    const left = text ? [{ heading: this.#path(), text }] : []
    if (name) this.#names.push({ level, name, hasText: false })
    return left
  }

  /** Appends to the innermost heading, for headings that span two lines. */
  extend(name: string, join: (text: string, next: string) => string | undefined): void {
    const last = this.#names.at(-1)
    if (last) last.name = join(last.name, name) ?? `${last.name} ${name}`
  }

  aboveText(): string | null {
    for (const heading of this.#names) heading.hasText = true
    return this.#path()
  }

  #path(): string | null {
    return (
      this.#names
        .map(({ name }) => name)
        .join(' › ')
        .slice(0, MAX_HEADING_LENGTH) || null
    )
  }
}

/** A line end between characters of scripts without spaces, which doesn't count as one. */
export const UNSPACED_LINE_END =
  /(?<=[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}ー、-】！-･])[ \t\r]*\n\s*(?=[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}ー、-】！-･])/gu

export const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? sign)

/** Renders each line as a paragraph. */
export const paragraphs = (text: string): string =>
  text
    .split(/[\r\n\v\f]+/)
    .map((line) => line.replaceAll('\t', ' ').trim())
    .filter(Boolean)
    .map((line) => `<p>${escaped(line)}</p>\n`)
    .join('')
