import { rm } from 'node:fs/promises'
import { readHolder } from '../database/lock.ts'
import { nativeFolder } from '../database/native-folder.ts'
import { endLeftoverServer } from '../database/open-project.ts'
import { startStack } from '../stack.ts'
import { keptState, lockPath } from '../state-folders.ts'
import { findWorkdir, parse } from './arguments.ts'
import { tellEvent } from './report.ts'
import { findRunning } from './running.ts'

/** `undock reset`: migrations and seed again, from nothing; under the running stack when there is one. */
export async function reset(args: readonly string[]): Promise<number> {
  const { values } = parse(args, { options: { workdir: { type: 'string' } } })
  const workdir = findWorkdir(values.workdir as string | undefined)
  console.error(`Resetting the data of ${workdir}`)
  return (await readHolder(lockPath(workdir))) ? resetRunning(workdir) : resetKept(workdir)
}

async function resetRunning(workdir: string): Promise<number> {
  const { url, identity } = await findRunning(workdir)
  const response = await fetch(`${url}/undock/v1/reset`, { method: 'POST', headers: { apikey: identity.keys.secret } })
  if (response.ok) {
    console.error('Done. The backend goes on with the fresh data.')
    return 0
  }
  console.error(((await response.json()) as { message: string }).message)
  return 1
}

async function resetKept(workdir: string): Promise<number> {
  const { database, storage } = keptState(workdir)
  await endLeftoverServer(database)
  for (const folder of [database, database && nativeFolder(database), storage]) {
    if (folder) await rm(folder, { recursive: true, force: true })
  }
  const stack = await startStack({ workdir, ports: 'free', exclude: ['functions'], tell: tellEvent })
  await stack.stop()
  console.error('Done. `undock start` begins with the fresh data.')
  return 0
}
