import { test as base, beforeEach } from 'vitest'
import type { TestStack, TestStackOptions } from './test-stack.ts'
import { prepareForNextTest, requestsText, startWorkerStack } from './worker-stack.ts'

export type StackTestOptions = TestStackOptions & {
  /** Whether each test finds the backend as migrations and seed make it; else tests of a worker share what they do. */
  readonly reset?: boolean
}

type Fixtures = { readonly stack: TestStack; readonly workerStack: TestStack }

/** A `test` of Vitest with `stack`: a backend of its own for each worker, fresh for each test.
 *
 *  A test that fails prints its requests, each with what it caused.
 *
 *      const test = stackTest({ workdir: '..' })
 *      test('…', async ({ stack }) => { const alice = await stack.createUser() … })
 */
export function stackTest({ reset = true, ...options }: StackTestOptions = {}) {
  const test = base.extend<Fixtures>({
    workerStack: [
      // Vitest reads from the braces what a fixture needs.
      // biome-ignore lint/correctness/noEmptyPattern: this one needs nothing
      async ({}, use) => {
        const stack = await startWorkerStack(options)
        await use(stack)
        await stack.stop()
      },
      { scope: 'worker' },
    ],
    stack: async ({ workerStack: stack, onTestFailed }, use) => {
      const began = Date.now()
      await prepareForNextTest(stack, { reset })
      onTestFailed(() => {
        // Vitest accepts no attachments after a test has failed, but shows what the test prints.
        // biome-ignore lint/suspicious/noConsole: this is the output of a test
        console.error(requestsText(stack.requests(began)))
      })
      await use(stack)
    },
  })
  // A hook has a limit of its own: what a test asks for would be made in the test's time. For a test that has no such fixture
  // this one does nothing.
  beforeEach<Fixtures>(({ stack }) => void stack, NO_LIMIT)
  return test
}

/** For Vitest: as long as it needs. */
const NO_LIMIT = 0

export const test = stackTest()
