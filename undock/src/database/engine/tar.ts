const BLOCK = 512

/** A plain file, or a folder, which has no bytes. */
export type TarEntry = { readonly path: string; readonly bytes: Buffer | null }

/** The files and folders of a tar in POSIX ustar format; the bytes are pieces of the tar. */
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
