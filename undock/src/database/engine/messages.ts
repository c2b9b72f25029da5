/** What a worker has to know before it loads the engine. */
export type WorkerOptions = {
  /** Its cluster ends with it: what is there at once counts for more than what is fast in the long run. */
  readonly isBrief: boolean
  /** The engine's program, when another worker of this process has compiled it: with it come the functions that were
   *  compiled as they were first called. */
  readonly program: WebAssembly.Module | null
}

/** How the worker is to open its cluster. Without a folder everything lives in memory. */
export type OpenOptions = {
  readonly folder: string | null
  /** The file of a tar of a whole data directory to begin from; only for a folder that is new, or for memory. */
  readonly snapshot: string | null
}

/** The first message to a worker. */
export type Opening = OpenOptions & {
  readonly mailbox: SharedArrayBuffer
}

/** One thing asked of the worker. */
export type Job =
  | { readonly kind: 'exchange'; readonly bytes: Uint8Array }
  /** Writes a tar of the data directory to a file. */
  | { readonly kind: 'dump'; readonly path: string }
  | { readonly kind: 'close' }

/** Main thread → worker: jobs that came up together travel together, for each crossing costs as much as a small query. */
export type ToWorker = {
  readonly jobs: readonly Job[]
  /** Whether another job is likely to come in a moment, by the mailbox. */
  readonly staysAwake: boolean
}

export type Reply =
  | { readonly kind: 'done'; readonly bytes: Uint8Array }
  | { readonly kind: 'failed'; readonly message: string }

/** Worker → main thread; replies come in the order of the jobs. */
export type FromWorker =
  | { readonly kind: 'ready'; readonly program: WebAssembly.Module }
  | { readonly kind: 'unopened'; readonly message: string }
  | { readonly kind: 'replies'; readonly replies: readonly Reply[] }
