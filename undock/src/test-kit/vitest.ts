import { test as base } from 'vitest'
import { startStack, type TestStack, type TestStackOptions } from './start-stack.ts'
import { prepareForNextTest, type WorkerStack } from './worker-stack.ts'

export type StackTestOptions = TestStackOptions & {
  /** Whether each test finds the backend as migrations and seed make it; else tests of a worker share what they do. */
  readonly reset?: boolean
}

type Fixtures = { stack: TestStack; workerStack: WorkerStack }

/** A `test` of Vitest with `stack`: a backend of its own for each worker, fresh for each test.
 *
 *      const test = stackTest({ workdir: '..' })
 *      test('…', async ({ stack }) => { const alice = await stack.createUser() … })
 */
export const stackTest = ({ reset = true, ...options }: StackTestOptions = {}) =>
  base.extend<Fixtures>({
    workerStack: [
      // Vitest reads from the braces what a fixture needs.
      // biome-ignore lint/correctness/noEmptyPattern: this one needs nothing
      async ({}, use) => {
        const stack = await startStack(options)
        await use({ stack, used: false })
        await stack.stop()
      },
      { scope: 'worker' },
    ],
    stack: async ({ workerStack }, use) => {
      await use(await prepareForNextTest(workerStack, { reset }))
    },
  })

export const test = stackTest()
