type Passage = { page: number | null; heading: string | null; content: string }

/** A part of a page. @property heading Null where it goes on under the heading before it. */
export type TextPart = { heading: string | null; text: string }

/** The longest repetition that is looked for, in letters: a passage begins with the last sentence of the one before. */
const LONGEST_REPETITION = 600

/** The text of each page that has any, from passages in their order: what two of them have in common is there once, as is a heading. */
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

/** How many letters at the beginning of a text are the end of the one before it. */
function repeated(before: string, text: string): number {
  for (let length = Math.min(LONGEST_REPETITION, before.length, text.length); length > 0; length -= 1)
    if (before.endsWith(text.slice(0, length))) return length
  return 0
}
