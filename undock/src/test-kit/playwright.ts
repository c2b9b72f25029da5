import { test as base } from '@playwright/test'
import { startStack, type TestStack, type TestStackOptions } from './start-stack.ts'
import { prepareForNextTest, requestsText, type WorkerStack } from './worker-stack.ts'

export type StackTestOptions = TestStackOptions & {
  /** Whether each test finds the backend as migrations and seed make it; else tests of a worker share what they do. */
  readonly reset?: boolean
}

/** A `test` of Playwright with `stack`: a backend of its own for each worker, fresh for each test. The app under test
 *  has to be told `stack.url`. A test that fails has its requests attached, each with what it caused. */
export const stackTest = ({ reset = true, ...options }: StackTestOptions = {}) =>
  base.extend<{ stack: TestStack }, { workerStack: WorkerStack }>({
    workerStack: [
      // Playwright reads from the braces what a fixture needs.
      // biome-ignore lint/correctness/noEmptyPattern: this one needs nothing
      async ({}, use) => {
        const stack = await startStack(options)
        await use({ stack, used: false })
        await stack.stop()
      },
      { scope: 'worker' },
    ],
    stack: async ({ workerStack }, use, test) => {
      const began = Date.now()
      const stack = await prepareForNextTest(workerStack, { reset })
      await use(stack)
      if (test.status === test.expectedStatus) return
      const requests = stack.requests(began)
      await test.attach('requests', { body: requestsText(requests), contentType: 'text/plain' })
      await test.attach('requests.json', { body: JSON.stringify(requests), contentType: 'application/json' })
    },
  })

export const test = stackTest()
