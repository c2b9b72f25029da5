/** The bytes of a `bytea` as Postgres writes it, such as `\x00ff`; null when the text is none. Spaces do not count. */
export function readBytes(text: string): Uint8Array<ArrayBuffer> | null {
  const hex = /^\\x((?:\s*[0-9a-f]\s*[0-9a-f]\s*)*)$/i.exec(text.trim())?.[1]?.replaceAll(/\s/g, '')
  if (hex === undefined) return null
  const bytes = new Uint8Array(hex.length / 2)
  for (let n = 0; n < bytes.length; n++) bytes[n] = Number.parseInt(hex.slice(n * 2, n * 2 + 2), 16)
  return bytes
}

/** Bytes as Postgres reads them. */
export const bytesLiteral = (bytes: Uint8Array): string =>
  `\\x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
