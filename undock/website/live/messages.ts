import type { Backend } from './backend.ts'

type Functions = Omit<Backend, 'credentials'>

/** A call of one of the backend's functions in the worker. */
export type Call = { readonly id: number; readonly name: keyof Functions; readonly given: readonly unknown[] }

/** @property loaded Bytes since the last message. */
export type FromWorker =
  | { readonly kind: 'progress'; readonly loaded: number; readonly step: 'loading' | 'starting' }
  | { readonly kind: 'ready'; readonly credentials: Backend['credentials'] }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'refused'; readonly id: number; readonly message: string }
