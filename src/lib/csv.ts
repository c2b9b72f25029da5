/** What a spreadsheet takes for the beginning of a formula; also in full width. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/

/** One field of a CSV (RFC 4180), always in quotes. What a spreadsheet would compute gets an apostrophe before it, as OWASP
 *  recommends against CSV injection. */
function field(value: string): string {
  const harmless = FORMULA.test(value) ? `'${value}` : value
  return `"${harmless.replaceAll('"', '""')}"`
}

export const csvRow = (values: readonly string[]): string => `${values.map(field).join(',')}\r\n`

/** What a CSV begins with: a byte order mark, by which Excel knows UTF-8, and the names of the columns. */
export const csvBeginning = (columns: readonly string[]): string => `\uFEFF${csvRow(columns)}`
