import { createHash } from 'node:crypto'

/** Returns the hash in hexadecimal. */
export const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex')
