// Replaces std's encoding/base64, under its names before and since 0.193.
const bytesOf = (data) => (typeof data === 'string' ? new TextEncoder().encode(data) : new Uint8Array(data))

export const encodeBase64 = (data) => bytesOf(data).toBase64()
export const decodeBase64 = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
export { decodeBase64 as decode, encodeBase64 as encode }
