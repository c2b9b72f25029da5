import { rm } from 'node:fs/promises'
import { nativeFolder } from '../database/project/kept-data.ts'
import { readHolder } from '../database/project/lock.ts'
import { endLeftoverServer } from '../database/project/open-project.ts'
import { startStack } from '../runtime/stack.ts'
import { lockPath, persistentState } from '../runtime/state-folders.ts'
import { findWorkdir } from './arguments.ts'
import { tellEvent } from './report.ts'
import { findRunning } from './running.ts'

/** `undock reset`: runs migrations and seed again on an empty database, in the running stack if there is one. */
export async function reset(options: { readonly workdir?: string }): Promise<number> {
  const workdir = findWorkdir(options.workdir)
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
  const { database, storage } = persistentState(workdir)
  await endLeftoverServer(database)
  for (const folder of [database, database && nativeFolder(database), storage]) {
    if (folder) await rm(folder, { recursive: true, force: true })
  }
  const stack = await startStack({ workdir, ports: 'free', exclude: ['functions'], tell: tellEvent })
  await stack.stop()
  console.error('Done. `undock start` begins with the fresh data.')
  return 0
}
