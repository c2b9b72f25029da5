/** A name or a title, which may contain anything, on one line: without control characters, and without ones that change the
 *  direction of the text after them. */
export const line = (text: string): string =>
  text.replaceAll(/[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim()

/** The same for a mail to somebody who does not know the sender yet. Mail programs make links of what looks like an address;
 *  an invisible character keeps them from doing so with a name such as "Click example.com". */
export const unlinkedLine = (text: string): string =>
  line(text)
    .replaceAll('://', ':\u2060//')
    .replaceAll(/\.(?=\p{L})/gu, '.\u2060')
    .replaceAll('@', '@\u2060')
