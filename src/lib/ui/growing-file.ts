import { saveBlob } from './save-blob.ts'

export type GrowingFile = {
  write: (text: string) => Promise<void>
  /** Downloads what was written, under this name. */
  save: (name: string) => Promise<void>
  /** Gives up what was written. */
  discard: () => Promise<void>
}

const FOLDER = 'growing-files'

/** A text that becomes a file to download, however long it gets: it is written to the browser's own storage on disk, not kept in
 *  memory. Where the browser has none (private windows), it is kept in memory. */
export async function openGrowingFile(): Promise<GrowingFile> {
  return (await openOnDisk().catch(() => undefined)) ?? openInMemory()
}

async function openOnDisk(): Promise<GrowingFile> {
  const root = await navigator.storage.getDirectory()
  // What an earlier one has left. One that another tab writes now is in use, and cannot be removed.
  await root.removeEntry(FOLDER, { recursive: true }).catch(() => undefined)
  const folder = await root.getDirectoryHandle(FOLDER, { create: true })
  const handle = await folder.getFileHandle(crypto.randomUUID(), { create: true })
  const stream = await handle.createWritable()
  return {
    write: (text) => stream.write(text),
    save: async (name) => {
      await stream.close()
      saveBlob(await handle.getFile(), name)
    },
    discard: async () => {
      await stream.abort()
      await folder.removeEntry(handle.name)
    },
  }
}

function openInMemory(): GrowingFile {
  let parts: string[] = []
  return {
    write: async (text) => void parts.push(text),
    save: async (name) => saveBlob(new Blob(parts), name),
    discard: async () => {
      parts = []
    },
  }
}
