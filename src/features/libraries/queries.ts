import * as z from 'zod/mini'
import { keys } from '../../domain/keys.ts'
import { databaseQuery, presentRow } from '../../lib/backend/database-query.ts'
import { supabase } from '../../lib/backend/supabase.ts'

const Summary = z.object({ documents: z.number(), people: z.number(), changed_at: z.nullable(z.string()) })

export const librariesQuery = (person: string) =>
  databaseQuery(
    [...keys.libraries, person],
    () =>
      supabase
        .from('members')
        .select('role, library:libraries!inner(id, name, description, summary)')
        .eq('user_id', person)
        .order('library(name)'),
    (data) => data.map(({ role, library }) => ({ ...library, ...z.parse(Summary, library.summary), role })),
  )

export const libraryQuery = (library: string) =>
  databaseQuery(
    [...keys.library(library), 'itself'],
    () =>
      supabase
        .from('libraries')
        .select(
          'id, name, description, require_second_factor, recognition_languages, allows_models, created_at, has_meaning',
        )
        .eq('id', library),
    (rows) => presentRow(rows[0]),
  )

/** The number of libraries that need a second factor. */
export const hiddenLibrariesQuery = databaseQuery([...keys.libraries, 'hidden'], () => supabase.rpc('hidden_libraries'))

/** Companies to sign in with for more libraries, with their ids. */
export const companiesToSignInQuery = databaseQuery([...keys.libraries, 'companies'], () =>
  supabase.rpc('companies_to_sign_in'),
)

export const invitationsQuery = (person: string) =>
  databaseQuery([...keys.invitations, person], () => supabase.rpc('my_invitations'))
