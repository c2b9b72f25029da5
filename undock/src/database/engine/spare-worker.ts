import { Worker } from 'node:worker_threads'

const start = (): Worker => new Worker(new URL('./worker-entry.js', import.meta.url))

let spare: Worker | null = null

/** Lets the worker's code and the engine's WebAssembly load while the rest of a command still finds out what to open. */
export function prepareWorker(): void {
  spare = start()
  // A command that ends without a database is not kept alive by it.
  spare.unref()
}

/** A worker that waits for its first message. */
export function takeWorker(): Worker {
  const worker = spare ?? start()
  spare = null
  worker.ref()
  return worker
}
