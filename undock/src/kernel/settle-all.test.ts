import { expect, test } from 'vitest'
import { settleAll } from './promises.ts'

test('resolves with all values in order', async () => {
  expect(await settleAll([Promise.resolve(1), 'two', null])).toEqual([1, 'two', null])
})

test('rejects only after all other promises have settled', async () => {
  const { promise: slow, resolve } = Promise.withResolvers<string>()
  let told = false
  const all = settleAll([Promise.reject(new Error('no key')), slow]).finally(() => {
    told = true
  })
  all.catch(() => undefined)
  await new Promise(setImmediate)
  expect(told).toBe(false)
  resolve('opened')
  await expect(all).rejects.toThrow('no key')
})
