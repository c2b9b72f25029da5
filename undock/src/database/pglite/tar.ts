import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const BLOCK = 512

export type TarEntry = { readonly path: string; readonly bytes: Buffer | null }

class TarError extends Error {
  override readonly name = 'TarError'
}

/** Reads the files and folders of a POSIX ustar archive as views of it, skipping links and the like.
 *  @throws {TarError} for paths outside the target folder and for invalid sizes. */
export function* readTar(tar: Buffer): Generator<TarEntry> {
  const text = (from: number, length: number): string => {
    const field = tar.subarray(from, from + length)
    const end = field.indexOf(0)
    return field.toString('utf8', 0, end === -1 ? length : end)
  }
  for (let at = 0; at + BLOCK <= tar.length && tar[at] !== 0; ) {
    const digits = text(at + 124, 12).trim()
    const size = /^[0-7]{1,11}$/.test(digits) ? Number.parseInt(digits, 8) : Number.NaN
    if (Number.isNaN(size) || at + BLOCK + size > tar.length)
      throw new TarError(`The snapshot is damaged: an entry at byte ${at} has no size, or ends after the file.`)
    const prefix = text(at + 345, 155)
    const path = prefix === '' ? text(at, 100) : `${prefix}/${text(at, 100)}`
    const type = text(at + 156, 1)
    if (type === '' || type === '0' || type === '5') {
      if (!isBelow(path)) throw new TarError(`The snapshot is damaged: it has an entry ${JSON.stringify(path)}.`)
      yield { path, bytes: type === '5' ? null : tar.subarray(at + BLOCK, at + BLOCK + size) }
    }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK
  }
}

const isBelow = (path: string): boolean =>
  path !== '' && !/^[/\\]|^[A-Za-z]:/.test(path) && !path.split(/[/\\]/).includes('..')

/** Yields the pieces of a tar that `readTar` can read. @throws {RangeError} for paths over 100 bytes. */
export function* writeTar(entries: Iterable<{ readonly path: string; readonly bytes: Uint8Array | null }>) {
  for (const { path, bytes } of entries) {
    yield header(path, bytes)
    if (bytes === null) continue
    yield bytes
    yield Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)
  }
  yield Buffer.alloc(2 * BLOCK)
}

function header(path: string, bytes: Uint8Array | null): Buffer {
  const block = Buffer.alloc(BLOCK)
  if (Buffer.byteLength(path) > 100) throw new RangeError(`A path is too long for a snapshot: ${path}`)
  const octal = (value: number, at: number, length: number): void => {
    block.write(value.toString(8).padStart(length - 1, '0'), at)
  }
  block.write(path, 0)
  octal(bytes === null ? 0o700 : 0o600, 100, 8)
  octal(0, 108, 8)
  octal(0, 116, 8)
  octal(bytes?.length ?? 0, 124, 12)
  octal(0, 136, 12)
  block.write('        ', 148)
  block.write(bytes === null ? '5' : '0', 156)
  block.write('ustar\x0000', 257)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

/** Unpacks a snapshot into a folder that only its owner can read. */
export function unpackSnapshot(tar: Buffer, folder: string): void {
  for (const { path, bytes } of readTar(tar)) {
    const fullPath = join(folder, path)
    mkdirSync(bytes === null ? fullPath : dirname(fullPath), { recursive: true, mode: 0o700 })
    if (bytes !== null) writeFileSync(fullPath, bytes, { mode: 0o600 })
  }
}
