import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import type { Config } from '../../config/config.ts'
import { tryJson } from '../../kernel/json.ts'
import { listBackends } from './record.ts'
import { portsPath, stateFolder } from './state-folders.ts'

/** A stack's ports. All except API and database may be 0: config.toml's port, or none. */
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
  // Missing in files older than the console.
  studio: OptionalPort.default(0),
  mail: OptionalPort,
  smtp: OptionalPort,
  pooler: OptionalPort,
})

/** Returns config.toml's ports; 0 for unused ones. */
export const configuredPorts = ({ api, db, studio, local_smtp }: Config): StackPorts => ({
  api: api.port,
  database: db.port,
  studio: studio.enabled ? studio.port : 0,
  mail: local_smtp.enabled ? local_smtp.port : 0,
  smtp: local_smtp.enabled ? local_smtp.smtp_port : 0,
  pooler: db.pooler.enabled ? db.pooler.port : 0,
})

export const usedPorts = (ports: StackPorts): number[] => Object.values(ports).filter((port) => port !== 0)

type PlacedBackend = {
  readonly workdir: string
  readonly name: string | null
  /** config.toml's ports, which belong to the default backend. */
  readonly configured: StackPorts
  readonly host: string
  /** The folder listing this user's stacks. */
  readonly cacheFolder: string
}

/** @property file Stores the ports for the next start.
 *  @property reason Why they aren't config.toml's: the backend is named, the last start took them, or another stack has
 *  those. */
export type AssignedPorts = {
  readonly ports: StackPorts
  readonly file: string
  readonly reason: 'named' | 'kept' | { readonly takenBy: string }
}

/** Assigns ports to a backend that can't use config.toml's. A named one keeps its ports from its first start. A linked
 *  git worktree gives way to another folder's stack, because both share config.toml. The caller holds the backend's
 *  lock.
 *  @returns null for config.toml's ports. */
export async function assignPorts(backend: PlacedBackend): Promise<AssignedPorts | null> {
  const { workdir, name } = backend
  const file = portsPath(workdir, name)
  if (name === null) return (await isInLinkedWorktree(workdir)) ? assignInWorktree(backend, file) : null
  const stored = await readPorts(file)
  const ports = stored ?? (await findFreePorts(backend))
  if (!stored) await writePorts(file, ports)
  return { ports, file, reason: 'named' }
}

async function assignInWorktree(backend: PlacedBackend, file: string): Promise<AssignedPorts | null> {
  const { configured } = backend
  const stored = await readPorts(file)
  const current = mapPorts(configured, (port, which) => stored?.[which] || port)
  const others = (await listBackends(backend.cacheFolder)).filter(({ workdir }) => workdir !== backend.workdir)
  const ownerOf = (wanted: readonly number[]) => others.find(({ ports }) => wanted.some((port) => ports.includes(port)))
  const owner = ownerOf(usedPorts({ ...current, smtp: 0 }))
  const smtpOwner = ownerOf([current.smtp])
  const takenBy = (owner ?? smtpOwner)?.workdir
  if (takenBy === undefined) return stored && { ports: stored, file, reason: 'kept' }
  const free = await findFreePorts(backend)
  const moved = owner ? mapPorts(configured, (port, which) => (port === 0 ? 0 : free[which])) : current
  // The SMTP port changes only if taken: callers set it and pass its address to their functions.
  const ports = { ...moved, smtp: smtpOwner ? free.smtp : (stored?.smtp ?? 0) }
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

/** @returns null for a missing or invalid file, which is then replaced. */
async function readPorts(path: string): Promise<StackPorts | null> {
  const text = await readFile(path, 'utf8').catch(() => '')
  return PortsFile.safeParse(tryJson(text)).data ?? null
}

async function keptPorts(workdir: string): Promise<number[]> {
  const names = await readdir(join(stateFolder(workdir), 'named')).catch(() => [])
  const stored = await Promise.all([null, ...names].map((name) => readPorts(portsPath(workdir, name))))
  return stored.flatMap((ports) => (ports ? usedPorts(ports) : []))
}

/** Below the ephemeral ranges (from 32768 on Linux, 49152 elsewhere), so ports stay free until the next start. */
const FIRST_BLOCK = 20_000
const BLOCK_SIZE = 10
const BLOCKS = 1_000
const ATTEMPTS = 100

/** Finds a block of free ports with the last digits `supabase start` uses, not used by the project's other backends or
 *  any running stack. */
async function findFreePorts({ workdir, configured, host, cacheFolder }: PlacedBackend): Promise<StackPorts> {
  const running = (await listBackends(cacheFolder)).flatMap(({ ports }) => ports)
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
    // Windows refuses reserved port ranges with EACCES.
    if (['EADDRINUSE', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return false
    throw error
  }
  server.close()
  await once(server, 'close')
  return true
}

/** Returns whether a folder is in a linked git worktree (`git worktree add`), whose `.git` is a file naming its folder
 *  in the repository.
 *  @see gitrepository-layout(5) */
export async function isInLinkedWorktree(folder: string): Promise<boolean> {
  for (let at = folder; ; at = dirname(at)) {
    const git = await stat(join(at, '.git')).catch(() => null)
    if (git) return git.isFile() && isLinked(await readFile(join(at, '.git'), 'utf8'))
    if (at === dirname(at)) return false
  }
}

const isLinked = (text: string): boolean => /^gitdir: .*[\\/]worktrees[\\/][^\\/\n]+$/m.test(text)
