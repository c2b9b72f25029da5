import { closeSync, fsyncSync, openSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Extension } from '@electric-sql/pglite'

/** The parts of Emscripten's NODEFS that its types leave out. */
type Stream = { readonly nfd?: number; readonly node: unknown }
type HostFiles = {
  realPath(node: unknown): string
  readonly stream_ops: { fsync?: (stream: Stream) => number }
}
type Module = { readonly FS: { readonly filesystems: { readonly NODEFS: HostFiles } } }

/** Settings of an engine whose acknowledged writes survive a power cut. Of Postgres' methods Emscripten supports only fsync;
 *  fdatasync does nothing there. */
export const DURABLE_PARAMETERS: readonly string[] = [
  'fsync=on',
  'synchronous_commit=on',
  'full_page_writes=on',
  'wal_sync_method=fsync',
]

/** Passes Postgres' fsync on to the operating system, which Emscripten's file system does not do.
 *  @param sync Called with the descriptor of the operating system's file. */
export const durableFiles = (sync: (descriptor: number) => void = fsyncSync): Extension => ({
  name: 'durable-files',
  setup: async (_database, options) => ({
    emscriptenOpts: {
      ...options,
      // Installed before Postgres starts, because a recovery relies on synced files too.
      preRun: [
        ...((options?.preRun as ((module: Module) => void)[] | undefined) ?? []),
        ({ FS }: Module) => {
          const files = FS.filesystems.NODEFS
          files.stream_ops.fsync = ({ nfd, node }) => {
            if (nfd !== undefined) sync(nfd)
            else syncPath(files.realPath(node), sync)
            return 0
          }
        },
      ],
    },
  }),
})

/** Syncs files that were written outside of Postgres, and the folders that contain them. */
export function syncFolder(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) syncFolder(path)
    else if (entry.isFile()) syncPath(path, fsyncSync)
  }
  syncPath(folder, fsyncSync)
}

function syncPath(path: string, sync: (descriptor: number) => void): void {
  let descriptor: number
  try {
    descriptor = openSync(path, 'r')
  } catch (error) {
    // Windows cannot open folders, and persists their entries by itself.
    if (['EISDIR', 'EPERM', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return
    throw error
  }
  try {
    sync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
