/** How the worker is to open its cluster. Without a folder everything lives in memory. */
export type OpenOptions = {
  readonly folder: string | null
  /** A tar of a whole data directory to begin from; only for a folder that is new, or for memory. */
  readonly snapshot: Uint8Array | null
}

/** Main thread → worker. */
export type ToWorker =
  | { readonly kind: 'exchange'; readonly bytes: Uint8Array }
  | { readonly kind: 'dump' }
  | { readonly kind: 'close' }

/** Worker → main thread; it answers in the order in which it was asked. */
export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'unopened'; readonly message: string }
  | { readonly kind: 'done'; readonly bytes: Uint8Array }
  | { readonly kind: 'failed'; readonly message: string }
