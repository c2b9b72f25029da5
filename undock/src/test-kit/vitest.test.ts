import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { stackTest } from './vitest.ts'

const workdir = fileURLToPath(new URL('../../bench/project', import.meta.url))
const test = stackTest({ workdir, exclude: ['functions', 'realtime'] })

test('a test may change any data', async ({ stack }) => {
  await stack.query(`insert into public.lists values (1, 'left over')`)
  stack.clock.advance('24h')
})

test('the next test finds none of these changes at the same URL', async ({ stack }) => {
  expect(await stack.query('select * from public.lists')).toEqual([])
  expect(Math.abs(stack.clock.now().getTime() - Date.now())).toBeLessThan(60_000)
})
