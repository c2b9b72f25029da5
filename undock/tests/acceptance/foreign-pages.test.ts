// What a foreign web page can do to a stack with publicly known keys on the developer's machine.
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { startWholeStack, type WholeStack } from '../../src/test-kit/whole-stack.ts'
import { makeProject, type TestProject } from '../support/project.ts'

const EVIL = 'https://evil.example'

let project: TestProject
let stack: WholeStack
beforeAll(async () => {
  project = await makeProject({
    'config.toml': 'project_id = "foreign"',
    'undock.toml': 'allowed_origins = ["https://admin.example"]',
    'migrations/1_start.sql':
      'create table notes (name text primary key); alter table notes enable row level security; alter publication supabase_realtime add table notes',
  })
  stack = await startWholeStack({ workdir: project.folder })
})
afterAll(async () => {
  await stack?.stop()
  await project.remove()
})

test("a foreign page can't reset the data, an allowed page can", async () => {
  await stack.query("insert into notes values ('kept')")
  const reset = async (origin: string) => {
    const headers = { origin, authorization: `Bearer ${stack.keys.serviceRole}` }
    return (await fetch(`${stack.url}/undock/v1/reset`, { method: 'POST', headers })).status
  }
  expect(await reset(EVIL)).toBe(403)
  expect(await stack.query('select * from notes')).toEqual([{ name: 'kept' }])
  expect(await reset('https://admin.example')).toBe(200)
  expect(await stack.query('select * from notes')).toEqual([])
})

test('a foreign page can open a socket only with the publishable key', async () => {
  const open = async (origin: string, key: string) => {
    const url = `${stack.url.replace('http', 'ws')}/realtime/v1/websocket?vsn=2.0.0&apikey=${key}`
    const socket = new WebSocket(url, { origin })
    const outcome = await Promise.race([
      once(socket, 'open').then(() => 101),
      once(socket, 'unexpected-response').then(([, response]) => (response as { statusCode: number }).statusCode),
    ])
    socket.on('error', () => undefined)
    socket.terminate()
    return outcome
  }
  expect(await open(EVIL, stack.keys.secret)).toBe(403)
  expect(await open(EVIL, stack.keys.serviceRole)).toBe(403)
  expect(await open(EVIL, stack.keys.publishable)).toBe(101)
  expect(await open('http://localhost:3000', stack.keys.secret)).toBe(101)
})

describe('a foreign page on Realtime', () => {
  const CONFIG = { broadcast: {}, presence: {}, postgres_changes: [{ event: '*', schema: 'public', table: 'notes' }] }

  async function openSocket(origin: string) {
    const url = `${stack.url.replace('http', 'ws')}/realtime/v1/websocket?vsn=2.0.0&apikey=${stack.keys.publishable}`
    const socket = new WebSocket(url, { origin })
    const frames: string[] = []
    socket.on('message', (data) => frames.push(String(data)))
    await once(socket, 'open')
    onTestFinished(() => socket.terminate())
    return {
      send: (event: string, payload: unknown, ref: string) =>
        socket.send(JSON.stringify(['1', ref, 'realtime:notes', event, payload])),
      heard: (text: string) => expect.poll(() => frames.join('\n'), { timeout: 20_000 }).toContain(text),
      frames,
    }
  }

  test("can't join as the service role", async () => {
    const socket = await openSocket(EVIL)
    for (const token of [stack.keys.serviceRole, await stack.identity.sign({ role: 'service_role', exp: 9e9, n: 1 })]) {
      socket.send('phx_join', { config: CONFIG, access_token: token }, '1')
      await socket.heard('"status":"error","response":{"reason":"Unauthorized: Web pages of other machines')
      socket.frames.length = 0
    }
  })

  test("can't become the service role or receive private rows", async () => {
    const [foreign, own] = [await openSocket(EVIL), await openSocket('http://localhost:3000')]
    for (const socket of [foreign, own]) {
      socket.send('phx_join', { config: CONFIG, access_token: stack.keys.anon }, '1')
      await socket.heard('"status":"ok"')
      socket.send('access_token', { access_token: stack.keys.serviceRole }, '2')
    }
    await foreign.heard('phx_close')
    await own.heard('Subscribed to PostgreSQL')
    let count = 0
    const hear = async () => {
      await stack.query(`insert into notes values ('private ${++count}')`)
      return own.frames.join('')
    }
    await expect.poll(hear, { timeout: 20_000 }).toContain('"private ')
    expect(foreign.frames.join('')).not.toContain('"private ')
  })

  test("can't act as the service role by long polling", async () => {
    const poll = (headers: Record<string, string>) =>
      fetch(`${stack.url}/realtime/v1/longpoll?vsn=2.0.0`, { headers }).then((response) => response.json())
    expect(await poll({ origin: EVIL, 'x-api-key': stack.keys.secret })).toMatchObject({ status: 403 })
    expect(await poll({ 'x-api-key': stack.keys.secret })).toMatchObject({ status: 410 })
    const { token } = await poll({ origin: EVIL, 'x-api-key': stack.keys.publishable })
    const url = `${stack.url}/realtime/v1/longpoll?vsn=2.0.0&token=${token}`
    const join = ['1', '1', 'realtime:notes', 'phx_join', { config: CONFIG, access_token: stack.keys.serviceRole }]
    // Later Origin headers change nothing.
    await fetch(url, { method: 'POST', body: JSON.stringify(join) })
    expect(JSON.stringify(await (await fetch(url)).json())).toContain('Web pages of other machines')
  })

  test("can't broadcast over HTTP with a secret key", async () => {
    const send = async (headers: Record<string, string>) => {
      const body = JSON.stringify({ messages: [{ topic: 'notes', event: 'e', payload: {}, private: true }] })
      const init = { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } }
      return (await fetch(`${stack.url}/realtime/v1/api/broadcast`, init)).status
    }
    const secrets = [{ apikey: stack.keys.secret }, { authorization: `Bearer ${stack.keys.serviceRole}` }]
    for (const secret of secrets) {
      expect(await send({ origin: EVIL, ...secret })).toBe(403)
      expect(await send({ origin: 'http://localhost:3000', ...secret })).toBe(202)
    }
  })
})
