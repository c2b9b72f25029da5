import { eventText } from '../runtime/stack/event-text.ts'
import type { StackEvent } from '../runtime/stack/options.ts'
import type { RequestTree } from '../timeline/records.ts'
import { treeText } from '../timeline/text.ts'
import { startStack, type TestStack, type TestStackOptions } from './start-stack.ts'

/** A stack that one worker's tests use one after another. */
export type WorkerStack = { readonly stack: TestStack; used: boolean }

/** Steps that a person waits for, on a machine or for a project that is new, and what a project gets instead of what it expects. */
const TOLD: readonly StackEvent['kind'][] = [
  ...(['bootstrap', 'fetching-postgres', 'fetching-pglite', 'fetching-deno', 'embedded-engine'] as const),
]

/** Starts a worker's stack with all that its tests may need: the first call of a function finds Deno and its modules. */
export async function startWorkerStack(options: TestStackOptions): Promise<WorkerStack> {
  const tell = (event: StackEvent) => {
    // A runner that shows what its workers print does so at once, also while it waits.
    if (TOLD.includes(event.kind)) process.stderr.write(`undock: ${eventText(event)}\n`)
  }
  const stack = await startStack({ tell, ...options })
  try {
    await stack.prepareFunctions()
  } catch (error) {
    await stack.stop()
    throw error
  }
  return { stack, used: false }
}

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
