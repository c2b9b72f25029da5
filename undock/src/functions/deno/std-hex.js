// Replaces jsr's @std/encoding/hex.
const bytesOf = (data) => (typeof data === 'string' ? new TextEncoder().encode(data) : new Uint8Array(data))

export const encodeHex = (data) => bytesOf(data).toHex()
export const decodeHex = (text) => Uint8Array.fromHex(text)
