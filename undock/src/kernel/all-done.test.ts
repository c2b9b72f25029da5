import { expect, test } from 'vitest'
import { allDone } from './all-done.ts'

test('all values, in their order', async () => {
  expect(await allDone([Promise.resolve(1), 'two', null])).toEqual([1, 'two', null])
})

test('a failure is told when the last of the others is done', async () => {
  const { promise: slow, resolve } = Promise.withResolvers<string>()
  let told = false
  const all = allDone([Promise.reject(new Error('no key')), slow]).finally(() => {
    told = true
  })
  all.catch(() => undefined)
  await new Promise(setImmediate)
  expect(told).toBe(false)
  resolve('opened')
  await expect(all).rejects.toThrow('no key')
})
