const DECLARED = /<meta[^>]+charset\s*=\s*["']?\s*([\w-]+)/i

/** Decodes a page: by its byte order mark, by the declaration in its head, otherwise as UTF-8 or, failing that,
 *  Windows-1252. */
export function decodePage(bytes: Uint8Array): string {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, 2048))
  const mark =
    bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : null
  for (const label of [mark, 'utf-8', DECLARED.exec(start)?.[1], 'windows-1252']) {
    if (!label) continue
    try {
      return new TextDecoder(label, { fatal: true }).decode(bytes)
    } catch {
      // The bytes are not in this encoding, or it is unknown, so the next one is tried.
    }
  }
  return new TextDecoder().decode(bytes)
}
