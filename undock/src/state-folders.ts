import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive } from './kernel/process.ts'

/** Where one stack keeps what it has. Null: in memory, or not at all. */
export type StateFolders = {
  readonly snapshots: string
  readonly lock: string | null
  readonly database: string | null
  readonly storage: string
  readonly mail: string | null
  readonly logs: string | null
  readonly certificate: string | null
  /** For what ends with the stack in any case; made when something first needs it. */
  readonly passing: string
  /** Removes what is not to be kept. */
  discard(): Promise<void>
}

const TEMPORARY = 'undock-run-'

export const stateFolder = (workdir: string): string => join(workdir, 'supabase', '.undock')
export const lockPath = (workdir: string): string => join(stateFolder(workdir), 'lock')

/** State that outlives the stack, in `supabase/.undock/`. */
export function keptState(workdir: string): StateFolders {
  const root = stateFolder(workdir)
  return {
    snapshots: join(root, 'snapshots'),
    lock: lockPath(workdir),
    database: join(root, 'database'),
    storage: join(root, 'storage'),
    mail: join(root, 'mail'),
    logs: join(root, 'logs'),
    certificate: join(root, 'certificate'),
    passing: join(root, 'passing'),
    discard: () => rm(join(root, 'passing'), { recursive: true, force: true }),
  }
}

/** State that ends with the stack: the database in memory, files in a temporary folder. */
export async function passingState(workdir: string): Promise<StateFolders> {
  await removeLeftovers()
  const folder = await mkdtemp(join(tmpdir(), `${TEMPORARY}${process.pid}-`))
  return {
    snapshots: join(stateFolder(workdir), 'snapshots'),
    lock: null,
    database: null,
    storage: join(folder, 'storage'),
    mail: null,
    logs: null,
    certificate: null,
    passing: folder,
    discard: () => rm(folder, { recursive: true, force: true }),
  }
}

/** A stack that was killed could not tidy up: the next one does. */
async function removeLeftovers(): Promise<void> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(TEMPORARY))
  for (const name of names) {
    const pid = Number(name.slice(TEMPORARY.length).split('-', 1)[0])
    if (!isAlive(pid)) await rm(join(tmpdir(), name), { recursive: true, force: true })
  }
}
