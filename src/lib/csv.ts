/** Characters that start a formula in spreadsheets, including full-width ones. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/

/** Formats a CSV field (RFC 4180), quoted. Formulas get an apostrophe, as OWASP recommends against CSV injection. */
function field(value: string): string {
  const harmless = FORMULA.test(value) ? `'${value}` : value
  return `"${harmless.replaceAll('"', '""')}"`
}

export const csvRow = (values: readonly string[]): string => `${values.map(field).join(',')}\r\n`

/** Returns the byte order mark, by which Excel detects UTF-8, and the header. */
export const csvBeginning = (columns: readonly string[]): string => `\uFEFF${csvRow(columns)}`
