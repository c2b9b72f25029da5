import { fromBase64 } from 'lib0/buffer'
import * as z from 'zod/mini'

/** A note's history in the database. Bytes are base64, because the browser caches it for offline use. */
export const StoredState = z.object({
  /** Null if there is none yet. */
  generation: z.nullable(z.string()),
  format: z.nullable(z.number()),
  version: z.nullable(z.string()),
  current_version: z.nullable(z.string()),
  /** Whether readers may follow what is written. */
  is_shared: z.boolean(),
  /** Updates after this one are in no version. */
  state_update: z.number(),
  last_update: z.number(),
  updated_at: z.nullable(z.string()),
  /** Null if the caller already has it. */
  state: z.nullable(z.string()),
  updates: z.array(z.string()),
})
export type StoredState = z.infer<typeof StoredState>

export const updatesOf = ({ state, updates }: StoredState): Uint8Array[] =>
  (state === null ? updates : [state, ...updates]).map((update) => fromBase64(update))

/** What a writer already has of a history. */
export type KnownUpdates = { generation: string; after: number }

/** The database side of collaborative writing. All functions are idempotent. If another history was started, or a
 *  version saved or merged, they throw an error that `isConflict` recognizes. */
export type NoteStore = {
  read(known?: KnownUpdates): Promise<StoredState>
  start(first: { generation: string; format: number; state: Uint8Array; version: string }): Promise<void>
  /** @returns the update's number. */
  add(update: { generation: string; update: Uint8Array }): Promise<number>
  /** @returns the update's number. */
  merge(merged: { generation: string; from: string | null; to: string; update: Uint8Array }): Promise<number>
  /** @returns the version with this text. */
  save(version: {
    generation: string
    body: string
    basedOn: string
    state: Uint8Array
    lastUpdate: number
  }): Promise<{ id: string; isPublished: boolean }>
  readVersion(version: string): Promise<string>
}
