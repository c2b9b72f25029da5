/** A quoted name. */
export const ident = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** A quoted name with its schema. */
export const qualified = (schema: string, name: string): string => `${ident(schema)}.${ident(name)}`

/** A quoted string. */
export const literal = (text: string): string => {
  const quoted = `'${text.replaceAll("'", "''")}'`
  return text.includes('\\') ? ` E${quoted.replaceAll('\\', '\\\\')}` : quoted
}
