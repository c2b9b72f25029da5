const BLOCK = 512

/** A file, or a folder, which has no bytes. */
export type TarEntry = { readonly path: string; readonly bytes: Buffer | null }

/** Reads the files and folders of a tar in POSIX ustar format; their bytes are views of the tar. */
export function* readTar(tar: Buffer): Generator<TarEntry> {
  const text = (from: number, length: number): string => {
    const field = tar.subarray(from, from + length)
    const end = field.indexOf(0)
    return field.toString('utf8', 0, end === -1 ? length : end)
  }
  for (let at = 0; at + BLOCK <= tar.length && tar[at] !== 0; ) {
    const size = Number.parseInt(text(at + 124, 12), 8)
    const prefix = text(at + 345, 155)
    const path = prefix === '' ? text(at, 100) : `${prefix}/${text(at, 100)}`
    const type = text(at + 156, 1)
    if (type === '' || type === '0') yield { path, bytes: tar.subarray(at + BLOCK, at + BLOCK + size) }
    if (type === '5') yield { path, bytes: null }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK
  }
}

/** Writes a tar that `readTar` can read, as pieces in their order.
 *  @throws {RangeError} at a path of more than 100 bytes. */
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
