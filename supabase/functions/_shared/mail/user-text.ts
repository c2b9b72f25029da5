/** A name or a title, which may contain anything, on one line: without control characters, and without ones that change the
 *  direction of the text after them. */
export const line = (text: string): string =>
  text.replaceAll(/[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim()

/** The beginning of a text as Postgres stores it: with neither NUL nor half of a character. */
export const cut = (text: string, length: number): string =>
  [...text.replaceAll('\0', '').slice(0, length).toWellFormed()].slice(0, length).join('').trim()

/** The same as `line` for a mail to somebody who does not know the sender yet. Mail programs make links of what looks like an address;
 *  an invisible character keeps them from doing so with a name such as "Click example.com". */
export const unlinkedLine = (text: string): string =>
  line(text)
    .replaceAll('://', ':\u2060//')
    .replaceAll(/\.(?=\p{L})/gu, '.\u2060')
    .replaceAll('@', '@\u2060')

/** What somebody wrote, line by line, with mentions as readers see them, not as they are stored.
 *  @param longest Characters, after which it is cut. */
export function quotation(body: string, longest: number): string {
  const text = body
    .replaceAll(/@\[([^\][]{1,80})\]\([0-9a-f-]{36}\)/g, '@$1')
    .split('\n')
    .map(line)
    .join('\n')
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}
