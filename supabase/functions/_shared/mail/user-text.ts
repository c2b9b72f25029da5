import { MENTION } from '../facts.ts'

/** Puts user-supplied text on one line, without control and bidi control characters. */
export const line = (text: string): string =>
  text.replaceAll(/[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim()

/** Truncates a text to what Postgres can store: no NUL, no split surrogate pair. */
export const cut = (text: string, length: number): string =>
  [...text.replaceAll('\0', '').slice(0, length).toWellFormed()].slice(0, length).join('').trim()

/** Like `line`, for a mail to a stranger. An invisible character keeps mail programs from turning a name such as "Click
 *  example.com" into a link. */
export const unlinkedLine = (text: string): string =>
  line(text)
    .replaceAll('://', ':\u2060//')
    .replaceAll(/\.(?=\p{L})/gu, '.\u2060')
    .replaceAll('@', '@\u2060')

/** Quotes user-written text line by line, with mentions as readable names.
 *  @param longest Characters, after which it's cut. */
export function quotation(body: string, longest: number): string {
  const text = body.replaceAll(MENTION, '@$1').split('\n').map(line).join('\n')
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}
