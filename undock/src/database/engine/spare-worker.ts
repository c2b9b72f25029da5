import { Worker } from 'node:worker_threads'
import type { WorkerOptions } from './messages.ts'

/** MB. Postgres watches how deep it recurses by the stack that is in the engine's memory; calls are on that of the thread as
 *  well, and where this one ends first (a function that calls itself is enough), the engine is left in the middle of a
 *  statement and must be ended. Only what is used becomes memory. */
const THREAD_STACK = 256

type Options = Pick<WorkerOptions, 'isBrief'>

// A program that was compiled to be there at once never becomes one that is fast in the long run.
const programs = new Map<Options['isBrief'], WebAssembly.Module>()

/** Gives what one worker has compiled to those of its kind that are started later. */
export function shareProgram({ isBrief }: Options, program: WebAssembly.Module): void {
  if (!programs.has(isBrief)) programs.set(isBrief, program)
}

const start = (options: Options): Worker =>
  new Worker(new URL('./worker-entry.js', import.meta.url), {
    workerData: { ...options, program: programs.get(options.isBrief) ?? null } satisfies WorkerOptions,
    resourceLimits: { stackSizeMb: THREAD_STACK },
  })

let spare: { readonly worker: Worker; readonly options: Options } | null = null

/** Lets the worker's code and the engine's WebAssembly load while the rest of a command still finds out what to open. */
export function prepareWorker(options: Options): void {
  spare = { worker: start(options), options }
  // A command that ends without a database is not kept alive by it.
  spare.worker.unref()
}

/** A worker that waits for its first message. */
export function takeWorker(options: Options): Worker {
  if (spare?.options.isBrief !== options.isBrief) return start(options)
  const { worker } = spare
  spare = null
  worker.ref()
  return worker
}
