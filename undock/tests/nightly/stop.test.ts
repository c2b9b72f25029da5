import { once } from 'node:events'
import { createClient } from '@supabase/supabase-js'
import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { processStart } from '../../src/platform/process.ts'
import { makeProject, type TestProject } from '../support/project.ts'
import { end, endRunning, launch, startUndock, undock, untilSaid } from '../support/undock.ts'

const KEY = 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH'

const cleaning: Array<() => Promise<unknown>> = []
afterEach(async () => {
  await endRunning()
  for (const clean of cleaning.splice(0).reverse()) await clean()
})

async function project(): Promise<TestProject> {
  const made = await makeProject({
    'config.toml': 'project_id = "stop"',
    'functions/pid/index.ts': 'Deno.serve(() => Response.json(Deno.pid))',
  })
  cleaning.push(made.remove)
  return made
}

/** The process that runs the project's functions. */
async function functionsProcess({ ports }: TestProject): Promise<number> {
  const client = createClient(`http://127.0.0.1:${ports.SUPABASE_API_PORT}`, KEY)
  const { data, error } = await client.functions.invoke<number>('pid')
  expect(error).toBeNull()
  return data ?? 0
}

/** Also detects a zombie whose new parent hasn't reaped it. */
const isGone = (pid: number): boolean => processStart(pid) === null

const eventually = { timeout: 50_000, interval: 50 }

test('stop ends a stack with an open database connection', async () => {
  const made = await project()
  const child = await startUndock(made)
  const deno = await functionsProcess(made)
  const holder = new pg.Client({
    connectionString: `postgresql://postgres:postgres@127.0.0.1:${made.ports.SUPABASE_DB_PORT}/postgres`,
  }).on('error', () => undefined)
  await holder.connect()
  await holder.query('begin')

  const stopped = await undock(made, 'stop')
  expect([stopped.code, stopped.stderr]).toEqual([0, expect.stringMatching(/^Stopped\./)])
  await expect.poll(() => child.exitCode, eventually).not.toBeNull()
  expect(isGone(deno)).toBe(true)
  // Nothing is left that would prevent a new start.
  await end(await startUndock(made), 'SIGINT')
})

test('stop kills a stack that ignores signals and reports it', async () => {
  const made = await project()
  const child = await startUndock(made)
  const deno = await functionsProcess(made)
  child.kill('SIGSTOP')

  const stopped = await undock(made, 'stop', '--timeout', '1')
  expect([stopped.code, stopped.stderr]).toEqual([
    0,
    `Process ${child.pid} did not stop within 1 s and was killed.\nStopped. The data is kept in supabase/.undock.\n`,
  ])
  await expect.poll(() => child.signalCode, eventually).toBe('SIGKILL')
  await expect.poll(() => isGone(deno), eventually).toBe(true)
  await end(await startUndock(made), 'SIGINT')
})

test('stop during a start, and while functions are written, leaves no process running', async () => {
  const made = await project()
  for (const moment of ['Starting the backend', 'Ready in']) {
    const child = launch(made, ['start'])
    const exit = once(child, 'exit')
    await untilSaid(child, moment)
    for (let i = 0; i < 20; i++) {
      await made.write('functions/pid/index.ts', `Deno.serve(() => Response.json(Deno.pid)) // ${i}`)
      await made.write('functions/pid/deno.json', `{ "imports": { "x${i}": "./x.ts" } }`)
      await made.write('functions/.env', `WORD=${i}`)
    }
    // Before start has the project's lock, there is no process to stop.
    await expect.poll(async () => (await undock(made, 'stop')).code, eventually).toBe(0)
    await exit
    expect((await undock(made, 'status')).code).toBe(1)
  }
})

test('aborting `start --detach` ends the backend it started', async () => {
  const made = await project()
  // A slow migration, so the backend is still starting when the command is aborted.
  await made.write('migrations/1_slow.sql', 'select pg_sleep(50)')
  const child = launch(made, ['start', '--detach'])
  const exit = once(child, 'exit')
  await expect.poll(async () => (await undock(made, 'status')).stderr, eventually).toContain('is still starting')
  child.kill('SIGINT')
  expect(await exit).toEqual([130, null])
  expect((await undock(made, 'status')).stderr).toContain('is not running')
})

test("open sockets don't delay stopping and are closed with a message", async () => {
  const made = await project()
  const child = await startUndock(made)
  const url = `ws://127.0.0.1:${made.ports.SUPABASE_API_PORT}/realtime/v1/websocket?vsn=2.0.0&apikey=${KEY}`
  const socket = new WebSocket(url)
  await once(socket, 'open')
  const closed = once(socket, 'close')
  expect((await undock(made, 'stop')).code).toBe(0)
  await expect.poll(() => child.exitCode, eventually).toBe(0)
  expect((await closed)[0]).toBe(1001)
})
