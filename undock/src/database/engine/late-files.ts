import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Extension, PGlite } from '@electric-sql/pglite'
import { readTar } from './tar.ts'

/** A part of a bundle that stays packed until it is needed. */
export type LatePart = {
  /** Files that are there from the start, empty: when Postgres asks for one of them, the part becomes real. */
  readonly announced: readonly string[]
  /** Files that are there from the start with what is in them. */
  readonly written?: Readonly<Record<string, string>>
  /** What is unpacked: files, and folders with a slash at their end. All of the bundle where it is left out. */
  readonly unpacked?: readonly string[]
}

const ROOT = '/pglite'

/** Leaves an extension's bundle packed until Postgres first needs one of its files. To unpack them all takes a fifth of
 *  the start, and tens of megabytes in every stack, whether it needs them or not. Libraries stay files, which Postgres
 *  loads when it first calls into one: to compile all of them would take longer than everything else at the start. */
export function unpackedLate(extension: Extension, parts: readonly LatePart[]): Extension {
  return {
    ...extension,
    async setup(database, options, clientOnly) {
      const { bundlePath, ...made } = await extension.setup(database, options, clientOnly)
      if (!bundlePath) throw new Error(`The extension ${extension.name} has no bundle`)
      return {
        ...made,
        emscriptenOpts: { ...(made.emscriptenOpts ?? options), noWasmDecoding: true },
        async init() {
          const files = (database as PGlite).Module.FS
          for (const { announced, written, unpacked } of parts) {
            for (const [path, text] of Object.entries(written ?? {})) files.writeFile(`${ROOT}/${path}`, text + TRUSTED)
            announce(files, announced, () => unpack(files, bundlePath, unpacked))
          }
        },
      }
    },
  }
}

/** Files that are read when Postgres first asks for the one that announces them.
 *  @param extensions By the path of its control file, what an extension consists of: paths and texts. */
export function readLate(
  name: string,
  extensions: ReadonlyMap<string, () => Iterable<readonly [path: string, text: string]>>,
): Extension {
  return {
    name,
    setup: async (database, options) => ({
      emscriptenOpts: options,
      async init() {
        const files = (database as PGlite).Module.FS
        for (const [control, read] of extensions) {
          announce(files, [control], () => {
            for (const [path, text] of read()) files.writeFile(`${ROOT}/${path}`, text)
          })
        }
      },
    }),
  }
}

/** An extension whose files are there from the start. */
export function trusted(extension: Extension, control: string): Extension {
  return {
    ...extension,
    async setup(database, options, clientOnly) {
      const made = await extension.setup(database, options, clientOnly)
      const init = async () => (database as PGlite).Module.FS.writeFile(`${ROOT}/${control}`, TRUSTED, { flags: 'a' })
      return { ...made, init }
    },
  }
}

/** `postgres` is no superuser: a hosted project has an extension created by one in its stead, and so does Postgres for
 *  extensions that are trusted. */
const TRUSTED = '\ntrusted = true\n'

type FileSystem = PGlite['Module']['FS']
type Stream = { stream_ops: unknown }
/** What Emscripten's file system in memory keeps of a file; its types leave these fields out. */
type FileNode = { node_ops: { getattr: (node: FileNode) => unknown }; stream_ops: { open?: (stream: Stream) => void } }

function announce(files: FileSystem, paths: readonly string[], fill: () => void): void {
  const restore: (() => void)[] = []
  const fillAll = () => {
    for (const one of restore) one()
    fill()
  }
  for (const path of paths) {
    files.writeFile(`${ROOT}/${path}`, '')
    const node = files.lookupPath(`${ROOT}/${path}`, {}).node as unknown as FileNode
    const { node_ops, stream_ops } = node
    restore.push(() => Object.assign(node, { node_ops, stream_ops }))
    // Postgres asks how large a library or a script is before it opens it; a control file it just opens.
    node.node_ops = {
      ...node_ops,
      getattr(asked) {
        fillAll()
        return node_ops.getattr(asked)
      },
    }
    node.stream_ops = {
      ...stream_ops,
      open(stream) {
        fillAll()
        stream.stream_ops = stream_ops
      },
    }
  }
}

function unpack(files: FileSystem, bundle: URL, wanted: readonly string[] | undefined): void {
  for (const { path, bytes } of readTar(gunzipSync(readFileSync(bundle)))) {
    const isWanted = (one: string) => (one.endsWith('/') ? path.startsWith(one) : path === one)
    if (bytes === null || (wanted && !wanted.some(isWanted))) continue
    files.mkdirTree(`${ROOT}/${dirname(path)}`)
    // A copy, or one small file would keep the whole bundle in memory.
    files.writeFile(`${ROOT}/${path}`, Uint8Array.from(bytes))
    if (path.endsWith('.control')) files.writeFile(`${ROOT}/${path}`, TRUSTED, { flags: 'a' })
  }
}
