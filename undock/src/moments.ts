import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ProjectDatabase } from './database/project-database.ts'
import { copyFolder, emptyFolders } from './folder-copy.ts'
import { createTurns } from './kernel/turns.ts'
import type { MailService } from './mail/index.ts'
import type { Services } from './services.ts'

/** A moment of one stack, which can come back as often as it is asked for; it ends with the stack. */
export type StackSnapshot = {
  restore(): Promise<void>
  /** Gives its place back. */
  discard(): Promise<void>
}

export type Moments = {
  reset(): Promise<void>
  snapshot(): Promise<StackSnapshot>
  /** Waits until no change is under way; there is none afterwards. */
  close(): Promise<void>
}

export type MomentsOptions = {
  readonly database: Pick<ProjectDatabase, 'reset' | 'snapshot'>
  readonly mail: Pick<MailService, 'clear' | 'snapshot'> | null
  readonly services: Pick<Services, 'afterReset' | 'afterRestore'>
  readonly storageFolder: string
  /** Ends with the stack. */
  readonly passingFolder: string
}

/** Puts database, files and mails of a running stack into another state together, one change after another. The database
 *  goes first: what fails there leaves the rest as it was. */
export function createMoments({ database, mail, services, storageFolder, passingFolder }: MomentsOptions): Moments {
  const take = createTurns()
  let closed = false
  let snapshots = 0

  const inTurn = <T>(work: () => Promise<T>): Promise<T> =>
    take(async () => {
      if (closed) throw new Error('The stack has been stopped')
      return work()
    })

  return {
    reset: () =>
      inTurn(async () => {
        await database.reset()
        await Promise.all([emptyFolders(storageFolder), mail?.clear()])
        await services.afterReset()
      }),
    snapshot: () =>
      inTurn(async () => {
        const files = join(passingFolder, `files-${++snapshots}`)
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
              await services.afterRestore()
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
