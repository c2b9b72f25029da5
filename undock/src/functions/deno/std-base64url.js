// Replaces std's encoding/base64url, under its names before and since 0.193.
const bytesOf = (data) => (typeof data === 'string' ? new TextEncoder().encode(data) : new Uint8Array(data))

export const encodeBase64Url = (data) => bytesOf(data).toBase64({ alphabet: 'base64url', omitPadding: true })
export const decodeBase64Url = (text) => Uint8Array.fromBase64(text, { alphabet: 'base64url' })
export { decodeBase64Url as decode, encodeBase64Url as encode }
