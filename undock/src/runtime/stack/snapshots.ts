import { constants } from 'node:fs'
import { cp, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ContentPart } from '../../database/project/project-content.ts'
import type { ProjectDatabase } from '../../database/project/project-database.ts'
import { createSerialQueue, ifMissing } from '../../kernel/promises.ts'
import type { MailService } from '../../mail/index.ts'
import type { StackSnapshot } from './public-stack.ts'
import type { Services } from './services.ts'

export type StackSnapshots = {
  reset(part?: ContentPart): Promise<void>
  snapshot(): Promise<StackSnapshot>
  /** Runs other work on the data between operations. */
  inTurn<T>(work: () => Promise<T>): Promise<T>
  close(): Promise<void>
}

export type StackSnapshotsOptions = {
  readonly database: Pick<ProjectDatabase, 'reset' | 'snapshot'>
  readonly mail: Pick<MailService, 'clear' | 'snapshot'> | null
  readonly services: Pick<Services, 'onDatabaseReplaced' | 'seed'>
  readonly storageFolder: string
  readonly ephemeralFolder: string
  /** Reads again what a reset depends on. @throws {ConfigError} */
  readSeed(): void
}

/** Resets, saves and restores a running stack's database, files and emails together, one operation at a time. The
 *  database goes first: if it fails, files and emails are unchanged. */
export function createStackSnapshots({
  database,
  mail,
  services,
  storageFolder,
  ephemeralFolder,
  readSeed,
}: StackSnapshotsOptions): StackSnapshots {
  const take = createSerialQueue()
  let closed = false
  let snapshots = 0

  const inTurn = <T>(work: () => Promise<T>): Promise<T> =>
    take(async () => {
      if (closed) throw new Error('The stack has been stopped')
      return work()
    })

  return {
    inTurn,
    reset: (part) =>
      inTurn(async () => {
        readSeed()
        await database.reset(part)
        await Promise.all([emptyFolders(storageFolder), mail?.clear()])
        await services.onDatabaseReplaced('reset')
        await services.seed()
      }),
    snapshot: () =>
      inTurn(async () => {
        const files = join(ephemeralFolder, `files-${++snapshots}`)
        const [data, restoreMail] = await Promise.all([
          database.snapshot(),
          mail?.snapshot(),
          copyFolder(storageFolder, files),
        ])
        return {
          restore: () =>
            inTurn(async () => {
              await data.restore()
              await Promise.all([
                emptyFolders(storageFolder).then(() => copyFolder(files, storageFolder)),
                restoreMail?.(),
              ])
              await services.onDatabaseReplaced('restored')
            }),
          async discard() {
            await Promise.all([data.discard(), rm(files, { recursive: true, force: true })])
          },
        }
      }),
    async close() {
      closed = true
      await take(async () => undefined)
    },
  }
}

/** Empties the subfolders but keeps them, because services expect them. */
async function emptyFolders(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(ifMissing([]))) {
    if (!entry.isDirectory()) continue
    for (const name of await readdir(join(folder, entry.name))) {
      await rm(join(folder, entry.name, name), { recursive: true, force: true })
    }
  }
}

/** Copies a folder's contents into another. A missing folder counts as empty. */
async function copyFolder(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  await cp(from, to, { recursive: true, mode: constants.COPYFILE_FICLONE }).catch(ifMissing(undefined))
}
