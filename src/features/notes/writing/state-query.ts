import { queryOptions } from '@tanstack/react-query'
import { keys } from '../../../domain/keys.ts'
import { readState } from './note-store.ts'

/** What the database has of a note's history. The browser keeps it, so that writing without network goes on in the same history. */
export const stateQuery = (library: string, note: string) =>
  queryOptions({
    queryKey: [...keys.document(library, note), 'state'],
    queryFn: ({ signal }) => readState(note, undefined, signal),
  })
