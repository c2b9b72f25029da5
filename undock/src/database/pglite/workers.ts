import { Worker } from 'node:worker_threads'
import type { WorkerOptions } from './messages.ts'
import { pgliteModules } from './packages.ts'

/** MB. Postgres limits its recursion by the stack in the engine's memory, but calls also use the thread's stack. If that one
 *  overflows first (a recursive function is enough), the engine stops in the middle of a statement and has to be
 *  terminated. Only used stack takes memory. */
const THREAD_STACK = 256

type Options = Pick<WorkerOptions, 'isShortLived'>

// Kept by kind: a program that was compiled for a fast start is never optimized later.
const programs = new Map<Options['isShortLived'], WebAssembly.Module>()

/** Keeps a program for workers of the same kind that are started later. */
export function shareProgram({ isShortLived }: Options, program: WebAssembly.Module): void {
  if (!programs.has(isShortLived)) programs.set(isShortLived, program)
}

/** Starts a worker that waits for its first message. */
export const createWorker = (options: Options): Worker =>
  new Worker(new URL('./worker-entry.js', import.meta.url), {
    workerData: {
      ...options,
      program: programs.get(options.isShortLived) ?? null,
      modules: pgliteModules(),
    } satisfies WorkerOptions,
    resourceLimits: { stackSizeMb: THREAD_STACK },
  })
