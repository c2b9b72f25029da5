/** A run of text under one heading and, in a paged document, on one page. */
export type Section = {
  readonly page: number | null
  /** The headings above the text, outermost first, joined by ' › '. */
  readonly heading: string | null
  readonly text: string
  /** Where `text` begins, in UTF-16 units: in the source of a text, in the page's text of a PDF. */
  readonly start: number
}

export type Extraction = {
  readonly sections: readonly Section[]
  /** What the content is, whatever its name says. */
  readonly mimeType: string
  readonly pages: number | null
  /** HTML that shows the same text, for what browsers cannot show as it is; not yet safe to be drawn. */
  readonly rendition?: string
}

/** The content cannot become passages; the message is for the person who uploaded it and says what to do. */
export class Unreadable extends Error {}

/** Keeps the path of headings while a text is walked from top to bottom. */
export class HeadingPath {
  readonly #names: { level: number; name: string }[] = []

  enter(level: number, name: string): void {
    while (this.#names.length > 0 && (this.#names.at(-1)?.level ?? 0) >= level) this.#names.pop()
    if (name) this.#names.push({ level, name })
  }

  get path(): string | null {
    return (
      this.#names
        .map((heading) => heading.name)
        .join(' › ')
        .slice(0, 500) || null
    )
  }
}
