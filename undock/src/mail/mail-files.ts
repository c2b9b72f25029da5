import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ifMissing } from '../kernel/promises.ts'

/** A stored message's facts that need no parsing. */
export type MailFile = { readonly id: string; readonly created: Date; readonly read: boolean }

/** Stores the bytes of mails. Ids are created only here: a name from a request is looked up, and never becomes part of
 *  a path. */
export type MailFiles = {
  list(): Promise<MailFile[]>
  add(raw: Uint8Array, created: Date): Promise<MailFile>
  /** @throws {Error} when the mail no longer exists. */
  open(id: string): Promise<Uint8Array>
  setRead(id: string, read: boolean): Promise<void>
  remove(id: string): Promise<void>
}

const newId = () => randomUUID().replaceAll('-', '')

export function memoryMailFiles(): MailFiles {
  const mails = new Map<string, { file: MailFile; raw: Uint8Array }>()
  const find = (id: string) => {
    const mail = mails.get(id)
    if (!mail) throw new Error(`no message ${id}`)
    return mail
  }
  return {
    list: async () => [...mails.values()].map(({ file }) => file),
    async add(raw, created) {
      const file = { id: newId(), created, read: false }
      mails.set(file.id, { file, raw })
      return file
    },
    open: async (id) => find(id).raw,
    async setRead(id, read) {
      const { file, raw } = find(id)
      mails.set(id, { file: { ...file, read }, raw })
    },
    async remove(id) {
      mails.delete(id)
    },
  }
}

/** The file name contains all metadata: `<milliseconds>-<id>.eml`, with `.read` before the extension for read mails. */
const FILE_NAME = /^(\d+)-([0-9a-f]{32})(\.read)?\.eml$/
const nameOf = ({ id, created, read }: MailFile) => `${created.getTime()}-${id}${read ? '.read' : ''}.eml`

/** One .eml file for each mail, so that any mail program opens it. The folder is created with the first mail. */
export function folderMailFiles(folder: string): MailFiles {
  const known = new Map<string, MailFile>()
  const pathOf = (id: string) => {
    const file = known.get(id)
    if (!file) throw new Error(`no message ${id}`)
    return join(folder, nameOf(file))
  }
  return {
    async list() {
      for (const name of await namesIn(folder)) {
        const [, milliseconds, id, read] = FILE_NAME.exec(name) ?? []
        if (id) known.set(id, { id, created: new Date(Number(milliseconds)), read: read !== undefined })
      }
      return [...known.values()]
    },
    async add(raw, created) {
      const file = { id: newId(), created, read: false }
      await mkdir(folder, { recursive: true })
      // Written under another name first: a mail cut off by a crash must not look complete.
      const aside = join(folder, `${file.id}.part`)
      await writeFile(aside, raw)
      await rename(aside, join(folder, nameOf(file)))
      known.set(file.id, file)
      return file
    },
    open: async (id) => readFile(pathOf(id)),
    async setRead(id, read) {
      const before = pathOf(id)
      const file = known.get(id)
      if (!file || file.read === read) return
      known.set(id, { ...file, read })
      await rename(before, pathOf(id))
    },
    async remove(id) {
      if (!known.has(id)) return
      const path = pathOf(id)
      known.delete(id)
      await rm(path, { force: true })
    },
  }
}

const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(ifMissing([]))
