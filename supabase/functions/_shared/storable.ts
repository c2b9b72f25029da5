/** Characters. */
const LONGEST = 1000

/** Makes foreign text storable in Postgres: no NUL, no split surrogate pair, limited length. Otherwise storing an error
 *  report could fail, and its document would be read again and again. */
export const storable = (text: string): string => text.replaceAll('\0', '\uFFFD').slice(0, LONGEST).toWellFormed()
