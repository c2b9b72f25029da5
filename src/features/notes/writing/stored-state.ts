import { fromBase64 } from 'lib0/buffer'
import * as z from 'zod/mini'

/** What the database has of a note's history. Bytes are base64, because the browser keeps it for reading without network. */
export const StoredState = z.object({
  /** Null where nobody has written in the note yet. */
  generation: z.nullable(z.string()),
  format: z.nullable(z.number()),
  /** The latest version whose text the history contains. */
  version: z.nullable(z.string()),
  current_version: z.nullable(z.string()),
  /** Updates after this one are in no version. */
  state_update: z.number(),
  last_update: z.number(),
  updated_at: z.nullable(z.string()),
  /** Null where the caller has it. */
  state: z.nullable(z.string()),
  updates: z.array(z.string()),
})
export type StoredState = z.infer<typeof StoredState>

/** The updates of a stored state, the state itself first. */
export const updatesOf = ({ state, updates }: StoredState): Uint8Array[] =>
  (state === null ? updates : [state, ...updates]).map((update) => fromBase64(update))

/** A history as one of its writers knows it. */
export type Known = { generation: string; after: number }

/** The database's side of writing together. Every function may be called again when its answer was lost. Where another history has
 *  begun, or others have saved or merged a version, it throws an error that `isConflict` recognizes. */
export type NoteStore = {
  read(known?: Known): Promise<StoredState>
  start(first: { generation: string; format: number; state: Uint8Array; version: string }): Promise<void>
  /** @returns the number of the update. */
  add(update: { generation: string; update: Uint8Array }): Promise<number>
  /** @returns the number of the update. */
  merge(merged: { generation: string; from: string | null; to: string; update: Uint8Array }): Promise<number>
  /** @returns the version that has the text. */
  save(version: {
    generation: string
    body: string
    basedOn: string
    state: Uint8Array
    lastUpdate: number
  }): Promise<{ id: string; isPublished: boolean }>
  readVersion(version: string): Promise<string>
}
