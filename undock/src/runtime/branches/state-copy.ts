import { join } from 'node:path'
import { copyKeptData } from '../../database/project/kept-data.ts'
import { copyTree } from '../../platform/copy-tree.ts'
import { stateAt } from '../place/state-folders.ts'

/** Copies a state that no process uses. */
export async function copyState(from: string, to: string): Promise<void> {
  await copyKeptData(stateAt(from).database, stateAt(to).database)
  await copyFilesAndMails(from, to)
}

/** Copies the state that a stack works on. Files are copied before the database and once more after it: a file that was deleted
 *  meanwhile, and one that was added, are both there if a row names them. Those that no row names are removed by Storage.
 *  @param copyDatabase Copies the database to a data folder while it is used. */
export async function copyUsedState(
  from: string,
  to: string,
  copyDatabase: (dataFolder: string) => Promise<void>,
): Promise<void> {
  await copyFilesAndMails(from, to)
  await copyDatabase(stateAt(to).database)
  await copyFilesAndMails(from, to)
}

/** Contents and mails are written once and renamed into their place, so both states may share their bytes. Uploads that are under
 *  way change, so they are copied. */
async function copyFilesAndMails(from: string, to: string): Promise<void> {
  const [source, target] = [stateAt(from), stateAt(to)]
  const shared = { isImmutable: true, mayVanish: true }
  await copyTree(join(source.storage, 'objects'), join(target.storage, 'objects'), shared)
  await copyTree(source.storage, target.storage, { except: new Set(['objects', 'tmp']), mayVanish: true })
  await copyTree(source.mail, target.mail, shared)
}
