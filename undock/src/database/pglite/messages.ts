import type { InterruptPlaces } from './statement-interrupts.ts'

/** Options that a worker needs before it loads the engine. */
export type WorkerOptions = {
  /** Whether the cluster ends with the worker: then a fast start matters more than speed in the long run. */
  readonly isShortLived: boolean
  /** The engine's program, if another worker of this process has compiled it; it includes the functions that were compiled at
   *  their first call. */
  readonly program: WebAssembly.Module | null
  /** The `node_modules` that PGlite was fetched to; null where it is installed. */
  readonly modules: string | null
}

/** How the worker opens its cluster; without a folder the cluster is in memory. */
export type OpenOptions = {
  readonly folder: string | null
  /** The tar file of a data directory to begin from; only for a new folder, or for memory. */
  readonly snapshot: string | null
}

/** The first message to a worker. */
export type OpenMessage = OpenOptions & {
  /** The numbers of a JobCounter. */
  readonly begun: Int32Array<SharedArrayBuffer>
}

/** A task for the worker. */
export type Job =
  | {
      readonly kind: 'exchange'
      readonly bytes: Uint8Array
      /** The oid of the role that the session is authenticated as during the exchange; without it the cluster's owner. */
      readonly user?: number
    }
  /** Writes a tar of the data directory to a file. */
  | { readonly kind: 'dump'; readonly path: string }
  | { readonly kind: 'close' }

/** Main thread → worker. Jobs are sent together, because each message costs as much as a small query. */
export type JobsMessage = {
  readonly jobs: readonly Job[]
}

export type Reply =
  | { readonly kind: 'done'; readonly bytes: Uint8Array }
  | { readonly kind: 'failed'; readonly message: string }

/** Worker → main thread; replies come in the order of the jobs. */
export type WorkerMessage =
  | {
      readonly kind: 'ready'
      readonly program: WebAssembly.Module
      /** Whether jobs may name a user. */
      readonly canAuthenticate: boolean
      /** Null when statements cannot be interrupted. */
      readonly interruptPlaces: InterruptPlaces | null
    }
  | { readonly kind: 'unopened'; readonly message: string }
  | { readonly kind: 'replies'; readonly replies: readonly Reply[] }
