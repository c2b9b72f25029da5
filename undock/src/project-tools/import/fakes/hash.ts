import { createHash } from 'node:crypto'

/** Bytes that depend on a text and a secret key: nobody without the key can tell the text from them, nor guess and compare. */
export type Hash = (text: string, bytes: number) => Buffer

/** @param key At least 16 random bytes. */
export const createKeyedHash =
  (key: Buffer): Hash =>
  (text, bytes) =>
    // A prefix is a safe key for SHA-3 (unlike SHA-2); its length is fixed within an import.
    createHash('shake256', { outputLength: bytes }).update(key).update(text).digest()
