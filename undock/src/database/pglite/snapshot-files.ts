import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readTar } from './tar.ts'

/** Unpacks a snapshot into a folder that only its owner can read. */
export function unpackSnapshot(tar: Buffer, folder: string): void {
  for (const { path, bytes } of readTar(tar)) {
    const fullPath = join(folder, path)
    mkdirSync(bytes === null ? fullPath : dirname(fullPath), { recursive: true, mode: 0o700 })
    if (bytes !== null) writeFileSync(fullPath, bytes, { mode: 0o600 })
  }
}
