import { readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Extension, PGlite } from '@electric-sql/pglite'
import { trustedLines } from '../extensions/known-extensions.ts'
import { readTar } from './tar.ts'

export type LazyPart = {
  /** Files that exist without content from the start: opening one of them unpacks the part. */
  readonly placeholders: readonly string[]
  readonly written?: Readonly<Record<string, string>>
  /** Files, and folders with a trailing slash, to unpack; the whole bundle if left out. */
  readonly unpacked?: readonly string[]
}

const ROOT = '/pglite'
const CONTROL = '.control'

const nameOf = (control: string): string => basename(control, CONTROL)

/** Unpacks an extension's bundle when Postgres first opens one of its files: unpacking all would take a fifth of the
 *  start, and tens of megabytes per stack. Libraries are compiled when first called, which takes even longer. */
export function unpackOnDemand(extension: Extension, parts: readonly LazyPart[]): Extension {
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
          for (const { placeholders, written, unpacked } of parts) {
            for (const [path, text] of Object.entries(written ?? {}))
              files.writeFile(`${ROOT}/${path}`, text + trustedLines(nameOf(path)))
            addPlaceholders(files, placeholders, () => unpack(files, bundlePath, unpacked))
          }
        },
      }
    },
  }
}

/** Reads an extension's files when Postgres first opens its control file.
 *  @param extensions Paths and texts of all files, by the control file's path. */
export function readOnDemand(
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
          addPlaceholders(files, [control], () => {
            for (const [path, text] of read()) files.writeFile(`${ROOT}/${path}`, text)
          })
        }
      },
    }),
  }
}

export function markTrusted(extension: Extension, control: string): Extension {
  return {
    ...extension,
    async setup(database, options, clientOnly) {
      const made = await extension.setup(database, options, clientOnly)
      const lines = trustedLines(nameOf(control))
      const init = async () => (database as PGlite).Module.FS.writeFile(`${ROOT}/${control}`, lines, { flags: 'a' })
      return { ...made, init }
    },
  }
}

type FileSystem = PGlite['Module']['FS']
type Stream = { stream_ops: unknown }
/** A file in Emscripten's in-memory file system; its types lack these fields. */
type FileNode = { node_ops: { getattr: (node: FileNode) => unknown }; stream_ops: { open?: (stream: Stream) => void } }

function addPlaceholders(files: FileSystem, paths: readonly string[], fill: () => void): void {
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
    // Postgres stats a library or script before opening it; control files are opened directly.
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
    // Copies, because a view would keep the whole bundle in memory.
    files.writeFile(`${ROOT}/${path}`, Uint8Array.from(bytes))
    if (path.endsWith(CONTROL)) files.writeFile(`${ROOT}/${path}`, trustedLines(nameOf(path)), { flags: 'a' })
  }
}
