/** @property path Within what was dropped or chosen. */
export type Dropped = { readonly file: File; readonly path: string }

/** The files that a person dropped, those of dropped folders too. */
export async function droppedFiles({ items }: DataTransfer): Promise<Dropped[]> {
  // All at once, because the list of items is empty after the first pause.
  const entries = [...items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null)
  return (await Promise.all(entries.map((entry) => filesOf(entry, '')))).flat()
}

async function filesOf(entry: FileSystemEntry, folder: string): Promise<Dropped[]> {
  const path = folder + entry.name
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))
    return [{ file, path }]
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  const found: Dropped[] = []
  for (;;) {
    // A browser lists a hundred at a time, and none at the end.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (some.length === 0) return found
    found.push(...(await Promise.all(some.map((one) => filesOf(one, `${path}/`)))).flat())
  }
}
