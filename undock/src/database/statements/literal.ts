/** Returns an SQL literal that's valid for any value of standard_conforming_strings. */
export function literal(text: string): string {
  const quoted = `'${text.replaceAll('\0', '').replaceAll("'", "''").replaceAll('\\', '\\\\')}'`
  return text.includes('\\') ? ` E${quoted}` : quoted
}
