import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { z } from 'zod'
import type { Config } from '../../config/config.ts'
import { isInLinkedWorktree } from './linked-worktree.ts'
import { listStacks } from './record.ts'
import { portsPath, stateFolder } from './state-folders.ts'

/** The ports of one stack. All but those of API and database may be 0: that of config.toml is used, or none. */
export type StackPorts = {
  readonly api: number
  readonly database: number
  readonly studio: number
  readonly mail: number
  readonly smtp: number
  readonly pooler: number
}

const Port = z.int().min(1).max(65_535)
const OptionalPort = z.int().min(0).max(65_535)
const PortsFile = z.object({
  api: Port,
  database: Port,
  // Files that are older than the console do not have its port.
  studio: OptionalPort.default(0),
  mail: OptionalPort,
  smtp: OptionalPort,
  pooler: OptionalPort,
})

/** The ports that config.toml gives; 0 for one that is not used. */
export const configuredPorts = ({ api, db, studio, local_smtp }: Config): StackPorts => ({
  api: api.port,
  database: db.port,
  studio: studio.enabled ? studio.port : 0,
  mail: local_smtp.enabled ? local_smtp.port : 0,
  smtp: local_smtp.enabled ? local_smtp.smtp_port : 0,
  pooler: db.pooler.enabled ? db.pooler.port : 0,
})

/** The ports in use among them. */
export const usedPorts = (ports: StackPorts): number[] => Object.values(ports).filter((port) => port !== 0)

type PlacedBackend = {
  readonly workdir: string
  readonly name: string | null
  /** The ports of config.toml, which belong to the project's default backend. */
  readonly configured: StackPorts
  readonly host: string
  /** The folder with the list of this user's stacks. */
  readonly cacheFolder: string
}

/** @property file Keeps the ports for the next start.
 *  @property reason Why they are not those of config.toml: the backend is a named one, the last start took them, or
 *  another stack has those of config.toml. */
export type AssignedPorts = {
  readonly ports: StackPorts
  readonly file: string
  readonly reason: 'named' | 'kept' | { readonly takenBy: string }
}

/** The ports of a backend that does not take those of config.toml. A named one has ports of its own, which stay the same
 *  from its first start. A project in a linked worktree of git gives way to the stack of another folder, because both
 *  have the same config.toml. The caller holds the backend's lock.
 *  @returns null for the ports of config.toml. */
export async function assignPorts(backend: PlacedBackend): Promise<AssignedPorts | null> {
  const { workdir, name } = backend
  const file = portsPath(workdir, name)
  if (name === null) return (await isInLinkedWorktree(workdir)) ? assignInWorktree(backend, file) : null
  const kept = await readPorts(file)
  const ports = kept ?? (await findFreePorts(backend))
  if (!kept) await writePorts(file, ports)
  return { ports, file, reason: 'named' }
}

async function assignInWorktree(backend: PlacedBackend, file: string): Promise<AssignedPorts | null> {
  const { configured } = backend
  const kept = await readPorts(file)
  const current = mapPorts(configured, (port, which) => kept?.[which] || port)
  const others = (await listStacks(backend.cacheFolder)).filter(({ workdir }) => workdir !== backend.workdir)
  const ownerOf = (wanted: readonly number[]) => others.find(({ ports }) => wanted.some((port) => ports.includes(port)))
  const owner = ownerOf(usedPorts({ ...current, smtp: 0 }))
  const smtpOwner = ownerOf([current.smtp])
  const takenBy = (owner ?? smtpOwner)?.workdir
  if (takenBy === undefined) return kept && { ports: kept, file, reason: 'kept' }
  const free = await findFreePorts(backend)
  const moved = owner ? mapPorts(configured, (port, which) => (port === 0 ? 0 : free[which])) : current
  // The port for SMTP is changed only if it is taken: callers set it, and give its address to their functions.
  const ports = { ...moved, smtp: smtpOwner ? free.smtp : (kept?.smtp ?? 0) }
  await writePorts(file, ports)
  return { ports, file, reason: { takenBy } }
}

const mapPorts = (ports: StackPorts, change: (port: number, which: keyof StackPorts) => number): StackPorts => ({
  api: change(ports.api, 'api'),
  database: change(ports.database, 'database'),
  studio: change(ports.studio, 'studio'),
  mail: change(ports.mail, 'mail'),
  smtp: change(ports.smtp, 'smtp'),
  pooler: change(ports.pooler, 'pooler'),
})

const writePorts = (path: string, ports: StackPorts): Promise<void> => writeFile(path, `${JSON.stringify(ports)}\n`)

/** @returns null for a file that does not exist, or that is not understood: it is then replaced. */
async function readPorts(path: string): Promise<StackPorts | null> {
  try {
    return PortsFile.parse(JSON.parse(await readFile(path, 'utf8')))
  } catch {
    return null
  }
}

/** The ports that backends of this project keep for their next start. */
async function keptPorts(workdir: string): Promise<number[]> {
  const names = await readdir(join(stateFolder(workdir), 'named')).catch(() => [])
  const kept = await Promise.all([null, ...names].map((name) => readPorts(portsPath(workdir, name))))
  return kept.flatMap((ports) => (ports ? usedPorts(ports) : []))
}

/** Systems assign ports from 32768 (Linux) or 49152 (others) upwards to programs that ask for any. Ports below stay free
 *  until the next start. */
const FIRST_BLOCK = 20_000
const BLOCK_SIZE = 10
const BLOCKS = 1_000
const ATTEMPTS = 100

/** Finds free ports that are in one block, with the last digits of the ports of `supabase start`. No other backend of
 *  the project has them, nor any stack that runs. */
async function findFreePorts({ workdir, configured, host, cacheFolder }: PlacedBackend): Promise<StackPorts> {
  const running = (await listStacks(cacheFolder)).flatMap(({ ports }) => ports)
  const avoided = new Set([...usedPorts(configured), ...running, ...(await keptPorts(workdir))])
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const block = FIRST_BLOCK + BLOCK_SIZE * randomInt(BLOCKS)
    const ports = {
      api: block + 1,
      database: block + 2,
      studio: block + 3,
      mail: block + 4,
      smtp: block + 5,
      pooler: block + 9,
    }
    const numbers = usedPorts(ports)
    if (numbers.some((port) => avoided.has(port))) continue
    const free = await Promise.all(numbers.map((port) => isFree(host, port)))
    if (free.every(Boolean)) return ports
  }
  throw new Error(
    `No free ports were found on ${host} between ${FIRST_BLOCK} and ${FIRST_BLOCK + BLOCK_SIZE * BLOCKS - 1}.`,
  )
}

async function isFree(host: string, port: number): Promise<boolean> {
  const server = createServer().listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    // Windows reserves ranges of ports and refuses them with EACCES.
    if (['EADDRINUSE', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return false
    throw error
  }
  server.close()
  await once(server, 'close')
  return true
}
