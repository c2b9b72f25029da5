import { saveBlob } from './save-blob.ts'

export type GrowingFile = {
  write: (text: string) => Promise<void>
  save: (name: string) => Promise<void>
  discard: () => Promise<void>
}

const FOLDER = 'growing-files'

/** A text file of any length, in the browser's private file system or (private windows) in memory. */
export async function openGrowingFile(): Promise<GrowingFile> {
  return (await openOnDisk().catch(() => undefined)) ?? openInMemory()
}

async function openOnDisk(): Promise<GrowingFile> {
  const root = await navigator.storage.getDirectory()
  // Removes leftovers; a file in use by another tab can't be removed.
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
