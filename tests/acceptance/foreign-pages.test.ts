// What a foreign web page can do to a stack on the developer's machine, which uses publicly known keys.
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { startStack, type TestStack } from '../../undock/src/test-kit/start-stack.ts'
import { makeProject, type TestProject } from '../support/project.ts'

const EVIL = 'https://evil.example'

let project: TestProject
let stack: TestStack
beforeAll(async () => {
  project = await makeProject({
    'config.toml': 'project_id = "foreign"',
    'undock.toml': 'allowed_origins = ["https://admin.example"]',
    'migrations/1_start.sql': 'create table notes (name text)',
  })
  stack = await startStack({ workdir: project.folder })
})
afterAll(async () => {
  await stack?.stop()
  await project.remove()
})

test('a foreign page cannot reset the data, an allowed page can', async () => {
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
