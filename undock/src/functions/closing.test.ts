import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import { isAlive, processStart } from '../platform/process.ts'
import { type FunctionsServer, startFunctionsServer } from '../testing/functions-server.ts'
import { provideDeno } from './deno-binary.ts'
import type { Limits } from './function-worker.ts'

const servers: FunctionsServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close().catch(() => undefined)
})

async function started(limits: Partial<Limits> = {}): Promise<FunctionsServer> {
  const server = await startFunctionsServer(
    { 'functions/pid/index.ts': "Deno.serve(() => Response.json([Deno.pid, Deno.env.get('WORD') ?? null]))" },
    { limits },
  )
  servers.push(server)
  return server
}

const ask = async (server: FunctionsServer): Promise<[pid: number, word: string | null]> =>
  (await server.call('pid')).json()

test('an invalid environment neither ends running functions nor leaves a process behind', async () => {
  const server = await started()
  const [pid] = await ask(server)
  await server.write('functions/.env', 'WORD="a\0b"')
  await expect.poll(() => server.logged.join('\n')).toContain('the project cannot be read')
  expect(await ask(server)).toEqual([pid, null])

  await server.close()
  expect(isAlive(pid)).toBe(false)
})

test('replaces a killed process', async () => {
  const server = await started()
  const [pid] = await ask(server)
  process.kill(pid, 'SIGKILL')
  await expect.poll(async () => (await ask(server).catch(() => [pid]))[0]).not.toBe(pid)
})

test('stops Deno when idle, and the next request starts it again', async () => {
  const server = await started({ idle: 100 })
  const [first] = await ask(server)
  await expect.poll(() => isAlive(first)).toBe(false)
  const answers = await Promise.all([ask(server), ask(server)])
  expect(answers[0]?.[0]).not.toBe(first)
  expect(answers[0]).toEqual(answers[1])
  await expect.poll(() => isAlive(answers[0]?.[0] ?? 0)).toBe(false)
  expect(server.logged.join('\n')).not.toMatch(/ended|does not run/)
})

test('a worker in an endless loop ends when its parent is killed', async () => {
  const owner = spawn(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `import { DenoProcess } from ${JSON.stringify(new URL('deno-process.ts', import.meta.url).href)}
       const listener = { onMessage() {}, onLine: (_, text) => console.log(text), onExit() {} }
       const program = 'data:text/javascript,console.log(Deno.pid); for (;;) {}'
       new DenoProcess({ binary: BINARY, args: [program], env: process.env, folder: '/' }, listener)
       setInterval(() => {}, 1000)`.replace('BINARY', JSON.stringify(await provideDeno(() => undefined))),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const [pid] = (await once(owner.stdout, 'data')).map(Number)
  expect(processStart(pid ?? 0)).not.toBeNull()
  owner.kill('SIGKILL')
  await expect.poll(() => processStart(pid ?? 0), { timeout: 10_000 }).toBeNull()
})
