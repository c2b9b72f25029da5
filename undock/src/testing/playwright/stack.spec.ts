import { fileURLToPath } from 'node:url'
import { expect } from '@playwright/test'
import { stackTest } from '../../test-kit/playwright.ts'

const workdir = fileURLToPath(new URL('../../../bench/project', import.meta.url))
const options = { workdir, exclude: ['functions', 'realtime'] } as const
const fresh = stackTest(options)
const shared = stackTest({ ...options, reset: false })

const rows = `select name from public.lists`
const add = `insert into public.lists values (1, 'left over')`

fresh.describe('each test', () => {
  // More than there are workers: some worker has two.
  for (const name of ['one', 'two', 'three']) {
    fresh(`finds nothing of the others: ${name}`, async ({ stack }, { annotations }) => {
      annotations.push({ type: 'stack', description: stack.url })
      expect(await stack.query(rows)).toEqual([])
      expect(Math.abs(stack.clock.now().getTime() - Date.now())).toBeLessThan(60_000)
      const answer = await fetch(`${stack.url}/rest/v1/lists`, { headers: { apikey: stack.keys.secret } })
      expect(await answer.json()).toEqual([])
      await stack.query(add)
      stack.clock.advance('24h')
      stack.faults.fail('rest')
    })
  }
})

fresh('fails, with its requests attached', async ({ stack }) => {
  await fetch(`${stack.url}/rest/v1/lists?select=name`, { headers: { apikey: stack.keys.secret } })
  expect('what the app shows').toBe('what it should show')
})

shared.describe.serial('without a reset', () => {
  shared('a test', async ({ stack }) => {
    await stack.query(add)
  })
  shared('and the next share what they do', async ({ stack }) => {
    expect(await stack.query(rows)).toEqual([{ name: 'left over' }])
  })
})
