import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { firstFreePort } from '../../scripts/processes.ts'
import { freePort } from '../../undock/tests/support/project.ts'

test('a second worktree serves the app on the next free port', async () => {
  const taken = await freePort()
  expect(await firstFreePort(taken)).toBe(taken)
  const server = createServer().listen(taken, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  expect(await firstFreePort(taken)).toBeGreaterThan(taken)
})
