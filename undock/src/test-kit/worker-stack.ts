import { eventText } from '../runtime/stack/event-text.ts'
import type { StackEvent } from '../runtime/stack/options.ts'
import type { RequestTree } from '../timeline/records.ts'
import { treeText } from '../timeline/text.ts'
import type { TestStack, TestStackOptions } from './test-stack.ts'
import { startWholeStack } from './whole-stack.ts'

/** Stacks that a test has had. */
const used = new WeakSet<TestStack>()

/** Slow first steps, and deviations from what the project expects. */
const TOLD: readonly StackEvent['kind'][] = [
  ...(['bootstrap', 'fetching-postgres', 'fetching-pglite', 'fetching-deno', 'embedded-engine'] as const),
]

/** Starts the stack that one worker's tests use one after another, with all that they may need: the first call of a function finds
 *  Deno and its modules. */
export async function startWorkerStack(options: TestStackOptions): Promise<TestStack> {
  const tell = (event: StackEvent) => {
    // Runners show workers' output immediately.
    if (TOLD.includes(event.kind)) process.stderr.write(`undock: ${eventText(event)}\n`)
  }
  const stack = await startWholeStack({ ...options, tell })
  try {
    await stack.prepareFunctions()
  } catch (error) {
    await stack.stop()
    throw error
  }
  return stack
}

/** Makes a worker's stack ready for its next test: as migrations and seed make it, unless tests are to share what they do. */
export async function prepareForNextTest(stack: TestStack, { reset }: { readonly reset: boolean }): Promise<void> {
  if (used.has(stack) && reset) {
    stack.faults.clear()
    stack.clock.restore()
    await stack.reset()
  }
  used.add(stack)
}

/** The requests of a test that failed, for people. */
export const requestsText = (requests: readonly RequestTree[]): string =>
  requests.map((request) => treeText(request)).join('\n\n')
