/** Characters. */
const LONGEST = 1000

/** Makes a text from a file or a server storable in Postgres: without NUL, without half of a surrogate pair, and
 *  limited in length. Otherwise storing an error report could fail, and its document would be read again and again. */
export const storable = (text: string): string => text.replaceAll('\0', '\uFFFD').slice(0, LONGEST).toWellFormed()
