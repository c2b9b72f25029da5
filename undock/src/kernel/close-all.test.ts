import { expect, test } from 'vitest'
import { CloseError, closeAll } from './promises.ts'

const never = () => new Promise<void>(() => undefined)

test('closes the others when one fails or never closes', async () => {
  const closed: string[] = []
  const part = (name: string) => ({
    name,
    close: async () => {
      closed.push(name)
    },
  })
  const closing = closeAll([
    part('first'),
    { name: 'broken', close: () => Promise.reject(new Error('it is busy')) },
    {
      name: 'thrower',
      close: () => {
        throw new Error('it is confused')
      },
    },
    { name: 'endless', limit: 10, close: never },
    part('last'),
  ])
  await expect(closing).rejects.toThrow(CloseError)
  await expect(closing).rejects.toThrow(
    /^broken: it is busy\nthrower: it is confused\nendless: did not end within 0.01 s$/,
  )
  expect(closed).toEqual(['first', 'last'])
})
