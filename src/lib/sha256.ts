/** Returns the hash in hexadecimal. */
export async function sha256(bytes: BufferSource): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Returns the same UUID (version 8) for the same name. */
export async function uuidOf(name: string): Promise<string> {
  const hash = await sha256(new TextEncoder().encode(name))
  return hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5')
}
