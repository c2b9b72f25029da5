import { constants } from 'node:fs'
import { cp, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Removes what is in the folders below this one, but not these: who works in them expects them. */
export async function emptyFolders(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(ifMissing)) {
    if (!entry.isDirectory()) continue
    for (const name of await readdir(join(folder, entry.name))) {
      await rm(join(folder, entry.name, name), { recursive: true, force: true })
    }
  }
}

/** Puts a copy of what is in one folder into another. One that is not there counts as empty. */
export async function copyFolder(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  await cp(from, to, { recursive: true, mode: constants.COPYFILE_FICLONE }).catch(ifMissing)
}

function ifMissing(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT') return []
  throw error
}
