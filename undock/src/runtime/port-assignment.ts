import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { z } from 'zod'
import type { Config } from '../config/config.ts'
import { listStacks } from './stack-record.ts'
import { portsPath, stateFolder } from './state-folders.ts'

/** The ports of one stack. */
export type StackPorts = {
  readonly api: number
  readonly database: number
  readonly mail: number
  readonly smtp: number
}

const Port = z.int().min(1).max(65_535)
const PortsFile = z.object({ api: Port, database: Port, mail: Port, smtp: Port })

/** The ports that config.toml gives; 0 for one that is not used. */
export const configuredPorts = ({ api, db, local_smtp }: Config): StackPorts => ({
  api: api.port,
  database: db.port,
  mail: local_smtp.enabled ? local_smtp.port : 0,
  smtp: local_smtp.enabled ? local_smtp.smtp_port : 0,
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

/** @property file Keeps the ports for the next start. */
export type AssignedPorts = { readonly ports: StackPorts; readonly file: string }

/** The ports of a backend that does not take those of config.toml: a named one has ports of its own, which stay the same
 *  from its first start. The caller holds the backend's lock.
 *  @returns null for the ports of config.toml. */
export async function assignPorts(backend: PlacedBackend): Promise<AssignedPorts | null> {
  const { workdir, name } = backend
  if (name === null) return null
  const file = portsPath(workdir, name)
  const ports = (await readPorts(file)) ?? (await findFreePorts(backend))
  await writeFile(file, `${JSON.stringify(ports)}\n`)
  return { ports, file }
}

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

/** Finds free ports that stand in one block, with the last digits of the ports of `supabase start`. No other backend of
 *  the project has them, nor any stack that runs. */
async function findFreePorts({ workdir, configured, host, cacheFolder }: PlacedBackend): Promise<StackPorts> {
  const running = (await listStacks(cacheFolder)).flatMap(({ ports }) => ports)
  const avoided = new Set([...usedPorts(configured), ...running, ...(await keptPorts(workdir))])
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const block = FIRST_BLOCK + BLOCK_SIZE * randomInt(BLOCKS)
    const ports = { api: block + 1, database: block + 2, mail: block + 4, smtp: block + 5 }
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
