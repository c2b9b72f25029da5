import { join } from 'node:path'
import { copyKeptData } from '../../database/project/kept-data.ts'
import { withLock } from '../../database/project/lock.ts'
import { endLeftoverServer } from '../../database/project/open-project.ts'
import { copyTree } from '../../platform/copy-tree.ts'
import { lockPath, persistentState, stateAt } from '../place/state-folders.ts'

/** Runs work while the backend is stopped, and prevents it from starting meanwhile.
 *  @throws {LockedError} */
export function whileStopped<T>(workdir: string, name: string | null, work: () => Promise<T>): Promise<T> {
  return withLock(lockPath(workdir, name), name, async () => {
    await endLeftoverServer(persistentState(workdir, name).database)
    return work()
  })
}

export async function copyState(from: string, to: string): Promise<void> {
  await copyKeptData(stateAt(from).database, stateAt(to).database)
  await copyFilesAndMails(from, to)
}

/** Copies a state in use. Files are copied before and after the database, so files deleted or added meanwhile exist if
 *  a row names them. Storage removes files without rows.
 *  @param copyDatabase Copies the database to a data folder while in use. */
export async function copyUsedState(
  from: string,
  to: string,
  copyDatabase: (dataFolder: string) => Promise<void>,
): Promise<void> {
  await copyFilesAndMails(from, to)
  await copyDatabase(stateAt(to).database)
  await copyFilesAndMails(from, to)
}

/** Stored files and emails are immutable, so states may share them as hard links. Pending uploads still change, so
 *  they're copied. */
async function copyFilesAndMails(from: string, to: string): Promise<void> {
  const [source, target] = [stateAt(from), stateAt(to)]
  const shared = { isImmutable: true, mayVanish: true }
  await copyTree(join(source.storage, 'objects'), join(target.storage, 'objects'), shared)
  await copyTree(source.storage, target.storage, { except: new Set(['objects', 'tmp']), mayVanish: true })
  await copyTree(source.mail, target.mail, shared)
}
