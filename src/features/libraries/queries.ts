import { queryOptions } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { keys } from '../../domain/keys.ts'
import { presentRow } from '../../lib/backend/missing-row-error.ts'
import { supabase } from '../../lib/backend/supabase.ts'

const Summary = z.object({ documents: z.number(), people: z.number(), changed_at: z.nullable(z.string()) })

export const librariesQuery = (person: string) =>
  queryOptions({
    queryKey: [...keys.libraries, person],
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('members')
        .select('role, library:libraries!inner(id, name, description, summary)')
        .eq('user_id', person)
        .order('library(name)')
        .abortSignal(signal)
        .throwOnError()
      return data.map(({ role, library }) => ({ ...library, ...z.parse(Summary, library.summary), role }))
    },
  })

export const libraryQuery = (library: string) =>
  queryOptions({
    queryKey: [...keys.library(library), 'itself'],
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('libraries')
        .select(
          'id, name, description, require_second_factor, recognition_languages, allows_models, created_at, has_meaning',
        )
        .eq('id', library)
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      return presentRow(data)
    },
  })

/** The number of libraries that need a second factor. */
export const hiddenLibrariesQuery = queryOptions({
  queryKey: [...keys.libraries, 'hidden'],
  queryFn: async ({ signal }) => (await supabase.rpc('hidden_libraries').abortSignal(signal).throwOnError()).data,
})

/** Companies to sign in with for more libraries, with their ids. */
export const companiesToSignInQuery = queryOptions({
  queryKey: [...keys.libraries, 'companies'],
  queryFn: async ({ signal }) => (await supabase.rpc('companies_to_sign_in').abortSignal(signal).throwOnError()).data,
})

export const invitationsQuery = (person: string) =>
  queryOptions({
    queryKey: [...keys.invitations, person],
    queryFn: async ({ signal }) => (await supabase.rpc('my_invitations').abortSignal(signal).throwOnError()).data,
  })

/** The invitation behind a link, for visitors too; null if it's missing or no longer valid. */
export const invitationQuery = (token: string) =>
  queryOptions({
    queryKey: [...keys.invitations, 'link', token],
    queryFn: async ({ signal }) => {
      const { data } = await supabase.rpc('find_invitation', { token }).abortSignal(signal).throwOnError()
      return data[0] ?? null
    },
  })
