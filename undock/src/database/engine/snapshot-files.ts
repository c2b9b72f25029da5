import { closeSync, mkdirSync, openSync, writeFileSync, writevSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { MemoryFS, PGlite } from '@electric-sql/pglite'
import { readTar, writeTar } from './tar.ts'

/** What Emscripten's file system in memory keeps of a folder and of a file; its types leave these fields out. */
type Folder = { readonly node_ops: { mknod(parent: Folder, name: string, mode: number, device: number): FileNode } }
type FileNode = { contents: Uint8Array; usedBytes: number }

const FILE = 0o100600

/** A data directory in memory that begins as a snapshot. Its files are pieces of the tar until Postgres writes to them:
 *  PGlite's own way (`loadDataDir`) copies each three times and walks its path anew, a quarter of the time that an
 *  engine takes to open. */
export class SnapshotMemory extends MemoryFS {
  readonly #tar: Buffer

  /** @param tar Belongs to the engine from here on. */
  constructor(tar: Buffer) {
    super()
    this.#tar = tar
  }

  override async initialSyncFs(): Promise<void> {
    const files = this.pg?.Module.FS
    if (!files) throw new Error('The engine has no file system yet')
    let last = { path: '', folder: null as Folder | null }
    for (const { path, bytes } of readTar(this.#tar)) {
      const whole = `${PGlite.paths.PGDATA}/${path}`
      if (bytes === null) files.mkdirTree(whole)
      else {
        const above = dirname(whole)
        if (above !== last.path) {
          files.mkdirTree(above)
          last = { path: above, folder: files.lookupPath(above, {}).node as unknown as Folder }
        }
        const folder = last.folder as Folder
        const node = folder.node_ops.mknod(folder, whole.slice(above.length + 1), FILE, 0)
        Object.assign(node, { contents: bytes, usedBytes: bytes.length })
      }
    }
  }
}

/** Writes the whole data directory, however it is kept, to a tar. PGlite's own way (`dumpDataDir`) holds it three times on the
 *  way there. */
export function packSnapshot(database: PGlite, path: string): void {
  const pieces = [...writeTar(filesBelow(database.Module.FS, PGlite.paths.PGDATA, ''))]
  const file = openSync(path, 'w')
  try {
    for (let at = 0; at < pieces.length; at += MOST_PIECES) {
      const some = pieces.slice(at, at + MOST_PIECES)
      const written = writevSync(file, some)
      // A disk that has only so much room takes a part, and refuses the rest.
      if (written < lengthOf(some)) writeFileSync(file, Buffer.concat(some).subarray(written))
    }
  } finally {
    closeSync(file)
  }
}

const lengthOf = (pieces: readonly Uint8Array[]): number => pieces.reduce((sum, { length }) => sum + length, 0)

/** What systems take at a time. */
const MOST_PIECES = 1_000

function* filesBelow(
  files: PGlite['Module']['FS'],
  root: string,
  path: string,
): Generator<{ path: string; bytes: Uint8Array | null }> {
  for (const name of files.readdir(`${root}/${path}`)) {
    if (name === '.' || name === '..') continue
    const below = path === '' ? name : `${path}/${name}`
    if (files.isDir(files.stat(`${root}/${below}`, {}).mode)) {
      yield { path: below, bytes: null }
      yield* filesBelow(files, root, below)
    } else yield { path: below, bytes: files.readFile(`${root}/${below}`, { encoding: 'binary' }) }
  }
}

/** Makes a folder of a snapshot, which nobody but its owner may look into. */
export function unpackSnapshot(tar: Buffer, folder: string): void {
  for (const { path, bytes } of readTar(tar)) {
    const whole = join(folder, path)
    mkdirSync(bytes === null ? whole : dirname(whole), { recursive: true, mode: 0o700 })
    if (bytes !== null) writeFileSync(whole, bytes, { mode: 0o600 })
  }
}
