import { readProjectConfig } from '../config/project.ts'
import { type Holder, readHolder } from '../database/lock.ts'
import { createIdentity } from '../identity/create-identity.ts'
import { systemClock } from '../kernel/service.ts'
import type { Stack } from '../stack.ts'
import { lockPath } from '../state-folders.ts'

export class NotRunningError extends Error {
  override readonly name = 'NotRunningError'
  constructor(workdir: string) {
    super(`The backend of ${workdir} is not running. Start it with \`undock start\`.`)
  }
}

export type Running = Pick<Stack, 'url' | 'dbUrl' | 'mailUrl' | 'identity'> & { readonly holder: Holder }

/** The stack that runs for a project, in whichever process.
 *  @throws {NotRunningError} */
export async function findRunning(workdir: string): Promise<Running> {
  const holder = await readHolder(lockPath(workdir))
  if (!holder) throw new NotRunningError(workdir)
  const { config } = readProjectConfig(workdir)
  return {
    holder,
    url: holder.url,
    dbUrl: holder.dbUrl ?? `postgresql://postgres:postgres@127.0.0.1:${config.db.port}/postgres`,
    mailUrl: holder.mailUrl ?? null,
    identity: await createIdentity({ config: config.auth, clock: systemClock }),
  }
}
