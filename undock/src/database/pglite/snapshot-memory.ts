import { closeSync, openSync, writeFileSync, writevSync } from 'node:fs'
import { dirname } from 'node:path'
import { MemoryFS, PGlite } from '@electric-sql/pglite'
import { readTar, writeTar } from './tar.ts'

/** A folder and a file in Emscripten's file system in memory; its types leave these fields out. */
type Folder = { readonly node_ops: { mknod(parent: Folder, name: string, mode: number, device: number): FileNode } }
type FileNode = { contents: Uint8Array; usedBytes: number }

const FILE = 0o100600

/** A data directory in memory that begins as a snapshot. Its files are views of the tar until Postgres writes to them. PGlite's
 *  own `loadDataDir` copies each file three times and resolves its path each time, which takes a quarter of the time
 *  to open an engine. */
export class SnapshotMemory extends MemoryFS {
  readonly #tar: Buffer

  /** @param tar Must not be used elsewhere afterwards. */
  constructor(tar: Buffer) {
    super()
    this.#tar = tar
  }

  override async initialSyncFs(): Promise<void> {
    const files = this.pg?.Module.FS
    if (!files) throw new Error('The engine has no file system yet')
    let last = { path: '', folder: null as Folder | null }
    for (const { path, bytes } of readTar(this.#tar)) {
      const fullPath = `${PGlite.paths.PGDATA}/${path}`
      if (bytes === null) files.mkdirTree(fullPath)
      else {
        const above = dirname(fullPath)
        if (above !== last.path) {
          files.mkdirTree(above)
          last = { path: above, folder: files.lookupPath(above, {}).node as unknown as Folder }
        }
        const folder = last.folder as Folder
        const node = folder.node_ops.mknod(folder, fullPath.slice(above.length + 1), FILE, 0)
        Object.assign(node, { contents: bytes, usedBytes: bytes.length })
      }
    }
  }
}

/** Writes the whole data directory to a tar file. PGlite's own `dumpDataDir` would hold it in memory three times. */
export function packSnapshot(database: PGlite, path: string): void {
  const pieces = [...writeTar(filesBelow(database.Module.FS, PGlite.paths.PGDATA, ''))]
  const file = openSync(path, 'w')
  try {
    for (let at = 0; at < pieces.length; at += MAX_PIECES_PER_WRITE) {
      const some = pieces.slice(at, at + MAX_PIECES_PER_WRITE)
      const written = writevSync(file, some)
      // A full disk takes only a part; writing the rest fails with its error.
      if (written < lengthOf(some)) writeFileSync(file, Buffer.concat(some).subarray(written))
    }
  } finally {
    closeSync(file)
  }
}

const lengthOf = (pieces: readonly Uint8Array[]): number => pieces.reduce((sum, { length }) => sum + length, 0)

/** The number of buffers that operating systems accept in one call. */
const MAX_PIECES_PER_WRITE = 1_000

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
