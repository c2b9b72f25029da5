import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { stackTest } from '../../test-kit/vitest.ts'

const workdir = fileURLToPath(new URL('../../../bench/project', import.meta.url))
const test = stackTest({ workdir, exclude: ['functions', 'realtime', 'mail'] })

test('a test that passes', async ({ stack }) => {
  expect((await fetch(`${stack.url}/rest/v1/lists`, { headers: { apikey: stack.keys.secret } })).status).toBe(200)
})

test('a test that fails', async ({ stack }) => {
  await fetch(`${stack.url}/rest/v1/lists?select=name`, { headers: { apikey: stack.keys.secret } })
  expect('what the app shows').toBe('what it should show')
})
