// `node undock/bench/places.ts --projects 100 --awake 10`: many projects on one machine, of which few are used. Linux only.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { cp, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { packedProject } from '../tests/support/packed.ts'
import { proportionalMemory } from './processes.ts'
import { megabytes, milliseconds, shareOf, sum, table } from './table.ts'

const PROJECT = fileURLToPath(new URL('project', import.meta.url))
const KEY = 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH'
/** Ten ports for each project, and one for the proxy. */
const FIRST_PORT = 30_000
const PROXY_PORT = 29_999

const { values } = parseArgs({
  options: { projects: { type: 'string', default: '100' }, awake: { type: 'string', default: '10' } },
})
const [count, awake] = [Number(values.projects), Number(values.awake)]

// With a cache of its own, so the list has no others.
const packed = await packedProject()
const root = join(packed.folder, 'projects')

type Listed = { readonly state: string; readonly pid: number | null }

const listed = async () => JSON.parse((await packed.undock('list', '-o', 'json')).stdout) as Listed[]

/** Starts the project with a number in the background. */
async function start(index: number, ...flags: string[]): Promise<void> {
  const folder = join(root, `p${index}`)
  await cp(PROJECT, folder, { recursive: true, filter: (path) => !path.includes('.undock') })
  const ports = ['API', 'DB', 'STUDIO', 'LOCAL_SMTP'].map(
    (name, at) => `SUPABASE_${name}_PORT=${FIRST_PORT + 10 * index + at}\n`,
  )
  await writeFile(join(folder, 'supabase', '.env'), ports.join(''))
  const { code, stderr } = await packed.undock('start', '--detach', '--workdir', folder, ...flags)
  if (code !== 0) throw new Error(stderr)
}

/** Reads rows by the name of a project. @returns milliseconds. */
async function read(index: number): Promise<number> {
  const before = performance.now()
  const headers = { host: `p${index}.localhost:${PROXY_PORT}`, apikey: KEY }
  const asked = request({ host: '127.0.0.1', port: PROXY_PORT, path: '/rest/v1/lists?limit=1', headers }).end()
  const [answer] = await once(asked, 'response')
  answer.resume()
  await once(answer, 'end')
  if (answer.statusCode !== 200) throw new Error(`p${index} answered with ${answer.statusCode}`)
  return performance.now() - before
}

const proxy = packed.launch('proxy', '--port', `${PROXY_PORT}`)
try {
  for (let index = 0; index < count; index++) await start(index, ...(index < awake ? [] : ['--sleep-after', '2s']))
  while ((await listed()).filter(({ state }) => state === 'asleep').length < count - awake) await sleep(500)
  const running = (await listed()).flatMap(({ pid }) => pid ?? [])
  const memory = sum(await Promise.all(running.map(proportionalMemory)))
  const ofProxy = await proportionalMemory(proxy.pid ?? 0)
  const disk = Number.parseInt((await promisify(execFile)('du', ['-s', '-B1', root])).stdout, 10)
  const wakes: number[] = []
  for (let index = awake; index < count; index++) wakes.push(await read(index))
  const percentiles = [0.5, 0.95].map((share) => milliseconds(shareOf(wakes, share)))
  const head = [`${count} projects, ${awake} awake`, 'p50', 'p95']
  console.log(table(head, [['first request to a sleeping one', ...percentiles]]))
  console.log(
    `\nMemory: ${megabytes(memory)} of those awake, ${megabytes(ofProxy)} of the proxy, 0 MB of those asleep.`,
  )
  console.log(`Disk: ${megabytes(disk)}, ${megabytes(disk / count)} a project.`)
} finally {
  proxy.kill()
  await packed.undock('stop', '--all')
  await packed.remove()
}
