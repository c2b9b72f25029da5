import { queryOptions } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { keys } from '../../domain/keys.ts'
import { problemCode } from '../../domain/problem.ts'
import { type DataOf, databaseQuery } from '../../lib/backend/database-query.ts'
import { EdgeFunctionError } from '../../lib/backend/edge-function-error.ts'
import { invoke } from '../../lib/backend/edge-functions.ts'
import { supabase } from '../../lib/backend/supabase.ts'

const LAST_FILES = 100

/** Requests that the caller may decide on, newest first, with their latest files. */
export const fileRequestsQuery = (library: string) =>
  databaseQuery(keys.fileRequests(library), () =>
    supabase
      .from('file_requests')
      .select(
        'id, title, collection_id, expires_at, closed_at, most_files, received, files:received_files(id, file_name, size_bytes, path, sender_name, sender_address, message, state, received_at, document_id)',
      )
      .eq('library_id', library)
      .order('created_at', { ascending: false })
      .order('received_at', { referencedTable: 'files', ascending: false })
      .limit(LAST_FILES, { referencedTable: 'files' }),
  )
export type FileRequest = DataOf<typeof fileRequestsQuery>[number]
export type ReceivedFile = FileRequest['files'][number]

export const isOpen = ({ closed_at, expires_at }: FileRequest): boolean =>
  closed_at === null && new Date(expires_at) > new Date()
export const waitingOf = ({ files }: FileRequest): ReceivedFile[] => files.filter(({ state }) => state === 'waiting')

const OpenRequest = z.object({
  title: z.string(),
  words: z.string(),
  expires_at: z.string(),
  left: z.number(),
  largest_bytes: z.number(),
  allowed_types: z.nullable(z.array(z.string())),
})
export type OpenRequest = z.infer<typeof OpenRequest>

/** What a link asks for; null if it's unknown, expired, closed or full. */
export const openRequestQuery = (token: string) =>
  queryOptions({
    queryKey: ['shared', 'request', token],
    queryFn: async () => {
      try {
        return await invoke('receive-file', { token }, OpenRequest)
      } catch (error) {
        if (error instanceof EdgeFunctionError && problemCode(error.body) === 'file_link_invalid') return null
        throw error
      }
    },
  })
