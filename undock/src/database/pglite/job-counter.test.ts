import { expect, test } from 'vitest'
import { JobCounter } from './job-counter.ts'

test('work is done to the job that began last, and to no other', () => {
  const worker = new JobCounter()
  const main = new JobCounter(worker.numbers)
  const done: string[] = []
  worker.begin(() => done.push('first'))
  expect(main.begun).toBe(1)
  expect(main.whileRunning(1, () => done.push('during the first'))).toBe(true)
  worker.begin(() => done.push('second'))
  expect(main.whileRunning(1, () => done.push('too late'))).toBe(false)
  expect(() =>
    main.whileRunning(2, () => {
      throw new Error('not possible')
    }),
  ).toThrow('not possible')
  // The lock is released after an error, too.
  worker.begin(() => done.push('third'))
  expect(done).toEqual(['first', 'during the first', 'second', 'third'])
})
