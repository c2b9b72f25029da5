import { test as base } from '@playwright/test'
import type { TestStack, TestStackOptions } from './test-stack.ts'
import { prepareForNextTest, requestsText, startWorkerStack } from './worker-stack.ts'

export type StackTestOptions = TestStackOptions & {
  /** Whether each test finds the backend as migrations and seed make it; else tests of a worker share what they do. */
  readonly reset?: boolean
}

/** In Playwright, a fixture with its own timeout doesn't use up the test's time. */
const NO_LIMIT = 0

/** A `test` of Playwright with `stack`: a backend of its own for each worker, fresh for each test. The app under test
 *  has to be told `stack.url`. A test that fails has its requests attached, each with what it caused. */
export const stackTest = ({ reset = true, ...options }: StackTestOptions = {}) =>
  base.extend<{ stack: TestStack }, { workerStack: TestStack }>({
    workerStack: [
      // Playwright reads from the braces what a fixture needs.
      // biome-ignore lint/correctness/noEmptyPattern: this one needs nothing
      async ({}, use) => {
        const stack = await startWorkerStack(options)
        await use(stack)
        await stack.stop()
      },
      { scope: 'worker', timeout: NO_LIMIT },
    ],
    stack: [
      async ({ workerStack: stack }, use, test) => {
        const began = Date.now()
        await prepareForNextTest(stack, { reset })
        await use(stack)
        if (test.status === test.expectedStatus) return
        const requests = stack.requests(began)
        await test.attach('requests', { body: requestsText(requests), contentType: 'text/plain' })
        await test.attach('requests.json', { body: JSON.stringify(requests), contentType: 'application/json' })
      },
      { timeout: NO_LIMIT },
    ],
  })

export const test = stackTest()
