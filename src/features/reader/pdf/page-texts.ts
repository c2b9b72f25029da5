type Passage = { page: number | null; heading: string | null; content: string }

/** A part of a page. @property heading Null if it continues under the previous heading. */
export type TextPart = { heading: string | null; text: string }

/** Characters. A passage begins with the last sentence of the previous one. */
const MAX_REPETITION_LENGTH = 600

/** Returns each page's text from ordered passages, without overlaps and repeated headings. */
export function pageTexts(passages: readonly Passage[]): ReadonlyMap<number, readonly TextPart[]> {
  const pages = new Map<number, TextPart[]>()
  let before: Passage | undefined
  for (const passage of passages) {
    const text = passage.content.slice(repeated(before?.content ?? '', passage.content)).trim()
    const page = passage.page ?? 1
    const heading = passage.heading === before?.heading ? null : passage.heading
    if (text !== '' || heading !== null) pages.set(page, [...(pages.get(page) ?? []), { heading, text }])
    before = passage
  }
  return pages
}

function repeated(before: string, text: string): number {
  for (let length = Math.min(MAX_REPETITION_LENGTH, before.length, text.length); length > 0; length -= 1)
    if (before.endsWith(text.slice(0, length))) return length
  return 0
}
