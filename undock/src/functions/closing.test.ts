import { afterEach, expect, test } from 'vitest'
import { isAlive } from '../platform/process.ts'
import { type FunctionsServer, startFunctionsServer } from '../testing/functions-server.ts'

const servers: FunctionsServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close().catch(() => undefined)
})

async function started(): Promise<FunctionsServer> {
  const server = await startFunctionsServer({
    'functions/pid/index.ts': "Deno.serve(() => Response.json([Deno.pid, Deno.env.get('WORD') ?? null]))",
  })
  servers.push(server)
  return server
}

const ask = async (server: FunctionsServer): Promise<[pid: number, word: string | null]> =>
  (await server.call('pid')).json()

test('an invalid environment does not end running functions and leaves no process behind', async () => {
  const server = await started()
  const [pid] = await ask(server)
  await server.write('functions/.env', 'WORD="a\0b"')
  await expect.poll(() => server.logged.join('\n')).toContain('the project cannot be read')
  expect(await ask(server)).toEqual([pid, null])

  await server.close()
  expect(isAlive(pid)).toBe(false)
})

test('a killed process is replaced by a new one', async () => {
  const server = await started()
  const [pid] = await ask(server)
  process.kill(pid, 'SIGKILL')
  await expect.poll(async () => (await ask(server).catch(() => [pid]))[0]).not.toBe(pid)
})
