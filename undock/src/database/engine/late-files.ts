import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Extension, PGlite } from '@electric-sql/pglite'

type LateExtension = {
  /** As `create extension` names it. */
  readonly name: string
  /** What its control file says. */
  readonly control: string
  /** Files of the bundle that appear all at once when Postgres first needs one of them; a folder ends with a slash. */
  readonly files: readonly string[]
}

const ROOT = '/pglite'

/** Leaves an extension's bundle packed until Postgres first needs one of its files: to unpack all of PostGIS takes as
 *  long as the rest of the start, and 90 MB of memory, in every stack whether it needs it or not.
 *  @param parts What the bundle has, extension by extension. */
export function unpackedLate(extension: Extension, parts: readonly LateExtension[]): Extension {
  return {
    ...extension,
    async setup(database, options, clientOnly) {
      const { bundlePath, emscriptenOpts, ...made } = await extension.setup(database, options, clientOnly)
      if (!bundlePath) throw new Error(`The extension ${extension.name} has no bundle`)
      return {
        ...made,
        emscriptenOpts: { ...(emscriptenOpts ?? options), noWasmDecoding: true },
        async init() {
          for (const part of parts) announce((database as PGlite).Module.FS, bundlePath, part)
        },
      }
    },
  }
}

type FileSystem = PGlite['Module']['FS']
/** What Emscripten's file system in memory keeps of a file; its types leave these fields out. */
type FileNode = { node_ops: { getattr: (node: FileNode) => unknown } }

/** Puts the control file, and in the place of all others empty ones that become the real ones when Postgres first asks
 *  how large they are, which it does before it opens them. */
function announce(files: FileSystem, bundle: URL, { name, control, files: wanted }: LateExtension): void {
  files.writeFile(`${ROOT}/share/postgresql/extension/${name}.control`, control)
  for (const path of wanted.filter((one) => !one.endsWith('/'))) {
    files.writeFile(`${ROOT}/${path}`, '')
    const node = files.lookupPath(`${ROOT}/${path}`, {}).node as unknown as FileNode
    const usual = node.node_ops
    node.node_ops = {
      ...usual,
      getattr(asked) {
        node.node_ops = usual
        unpack(files, bundle, wanted)
        return usual.getattr(asked)
      },
    }
  }
}

function unpack(files: FileSystem, bundle: URL, wanted: readonly string[]): void {
  for (const { path, bytes } of readTar(gunzipSync(readFileSync(bundle)))) {
    if (!wanted.some((one) => (one.endsWith('/') ? path.startsWith(one) : path === one))) continue
    files.mkdirTree(`${ROOT}/${dirname(path)}`)
    // A copy, or one small file would keep the whole bundle in memory.
    files.writeFile(`${ROOT}/${path}`, Uint8Array.from(bytes))
  }
}

const BLOCK = 512

/** The plain files of a tar in POSIX ustar format. */
function* readTar(tar: Buffer): Generator<{ path: string; bytes: Buffer }> {
  const text = (from: number, length: number): string => {
    const field = tar.subarray(from, from + length)
    const end = field.indexOf(0)
    return field.toString('utf8', 0, end === -1 ? length : end)
  }
  for (let at = 0; at + BLOCK <= tar.length && tar[at] !== 0; ) {
    const size = Number.parseInt(text(at + 124, 12), 8)
    const prefix = text(at + 345, 155)
    const path = prefix === '' ? text(at, 100) : `${prefix}/${text(at, 100)}`
    const isFile = text(at + 156, 1) === '' || text(at + 156, 1) === '0'
    if (isFile) yield { path, bytes: tar.subarray(at + BLOCK, at + BLOCK + size) }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK
  }
}
