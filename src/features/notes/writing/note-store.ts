import { queryOptions } from '@tanstack/react-query'
import { toBase64 } from 'lib0/buffer'
import { keys } from '../../../domain/keys.ts'
import { supabase } from '../../../lib/backend/supabase.ts'
import { readVersion } from '../queries.ts'
import { type KnownUpdates, type NoteStore, StoredState } from './stored-state.ts'

/** @throws {PostgrestError} */
async function readState(note: string, known?: KnownUpdates, signal?: AbortSignal): Promise<StoredState> {
  const reading = supabase.rpc('read_note_state', { note, ...known })
  const { data } = await (signal ? reading.abortSignal(signal) : reading).throwOnError()
  return StoredState.parse(data)
}

/** A note's stored history, cached so that offline writing continues in the same history. */
export const stateQuery = (library: string, note: string) =>
  queryOptions({
    queryKey: [...keys.document(library, note), 'state'],
    queryFn: ({ signal }) => readState(note, undefined, signal),
  })

/** The functions of supabase/schemas/library/note_history.sql. */
export const storeOf = (note: string): NoteStore => ({
  read: (known) => readState(note, known),
  start: async ({ state, ...first }) => {
    await supabase.rpc('start_note_state', { note, ...first, state: toBase64(state) }).throwOnError()
  },
  add: async ({ generation, update }) => {
    const { data } = await supabase
      .rpc('add_note_update', { note, generation, update: toBase64(update) })
      .throwOnError()
    return data
  },
  merge: async ({ generation, from, to, update }) => {
    const { data } = await supabase
      .rpc('merge_note_version', {
        note,
        generation,
        // The generated types don't allow null parameters.
        from_version: from as string,
        to_version: to,
        update: toBase64(update),
      })
      .throwOnError()
    return data
  },
  save: async ({ generation, body, basedOn, state, lastUpdate }) => {
    const { data } = await supabase
      .rpc('save_note_state', {
        note,
        generation,
        body,
        based_on: basedOn,
        state: toBase64(state),
        last_update: lastUpdate,
      })
      .throwOnError()
    return { id: data.id, isPublished: data.is_published }
  },
  readVersion: async (version) => (await readVersion(version)).body ?? '',
})
