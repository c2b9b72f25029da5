import type { RequestTree } from '../timeline/records.ts'
import { treeText } from '../timeline/text.ts'
import type { TestStack } from './start-stack.ts'

/** A stack that one worker's tests use one after another. */
export type WorkerStack = { readonly stack: TestStack; used: boolean }

/** The stack for the next test: as migrations and seed make it, unless tests are to share what they do. */
export async function prepareForNextTest(
  worker: WorkerStack,
  { reset }: { readonly reset: boolean },
): Promise<TestStack> {
  const { stack, used } = worker
  worker.used = true
  if (used && reset) {
    stack.faults.clear()
    stack.clock.restore()
    await stack.reset()
  }
  return stack
}

/** The requests of a test that failed, for people. */
export const requestsText = (requests: readonly RequestTree[]): string =>
  requests.map((request) => treeText(request)).join('\n\n')
