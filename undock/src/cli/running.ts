import { readProjectConfig } from '../config/project.ts'
import { type Holder, readHolder } from '../database/lock.ts'
import { createIdentity } from '../identity/create-identity.ts'
import { systemClock } from '../kernel/service.ts'
import type { Stack } from '../stack.ts'
import { lockPath } from '../state-folders.ts'

export class NotRunningError extends Error {
  override readonly name = 'NotRunningError'
}

export type Running = Pick<Stack, 'url' | 'dbUrl' | 'mailUrl' | 'identity'> & { readonly holder: Holder }

/** The process that runs a project, or is about to.
 *  @throws {NotRunningError} */
export async function findHolder(workdir: string): Promise<Holder> {
  const holder = await readHolder(lockPath(workdir))
  if (holder) return holder
  throw new NotRunningError(`The backend of ${workdir} is not running. Start it with \`undock start\`.`)
}

/** The stack that runs for a project, in whichever process.
 *  @throws {NotRunningError} also while it starts: its addresses are not known yet. */
export async function findRunning(workdir: string): Promise<Running> {
  const holder = await findHolder(workdir)
  const { pid, url, dbUrl, mailUrl = null } = holder
  if (dbUrl === undefined)
    throw new NotRunningError(
      `The backend of ${workdir} is being started by process ${pid}. Try again when it is ready.`,
    )
  const { config } = readProjectConfig(workdir)
  return {
    holder,
    url,
    dbUrl,
    mailUrl,
    identity: await createIdentity({ config: config.auth, clock: systemClock }),
  }
}
