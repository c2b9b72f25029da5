import { isLitter } from '../../domain/file-kinds.ts'

/** A file and its folders, outermost first. */
export type PlacedFile = { file: File; folders: string[] }

/** Returns picked files, with folders if a folder was picked. */
export function fromPicker(files: Iterable<File>): PlacedFile[] {
  return [...files].flatMap((file) => {
    const folders = file.webkitRelativePath.split('/').slice(0, -1)
    return folders.length > 0 && isLitter([...folders, file.name]) ? [] : [{ file, folders }]
  })
}

/** Returns dropped or pasted files, also from folders. Call it within the event, before browsers empty the transfer. */
export function fromTransfer(transfer: DataTransfer): Promise<PlacedFile[]> {
  const waiting = [...transfer.items]
    .filter(({ kind }) => kind === 'file')
    .map((item) => {
      const entry = item.webkitGetAsEntry()
      if (entry?.isDirectory) return walk(entry, [])
      const file = item.getAsFile()
      return Promise.resolve(file ? [{ file, folders: [] }] : [])
    })
  return Promise.all(waiting).then((found) => found.flat())
}

async function walk(entry: FileSystemEntry, folders: string[]): Promise<PlacedFile[]> {
  if (isLitter([entry.name])) return []
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject))
    return [{ file, folders }]
  }
  if (!isDirectory(entry)) return []
  const files: PlacedFile[] = []
  for (const inside of await entriesOf(entry)) files.push(...(await walk(inside, [...folders, entry.name])))
  return files
}

/** A reader returns up to a hundred entries at a time, and none at the end. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (some.length === 0) return all
    all.push(...some)
  }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile
const isDirectory = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory
