import { queryOptions } from '@tanstack/react-query'
import type { ClientCaller, ConnectedClient, ConnectedClients } from '../../../../src/realtime/connected-clients.ts'
import { readJson, service } from '../../lib/api.ts'
import { catalogKey } from '../catalog.ts'

export type { ClientCaller, ConnectedClient, ConnectedClients }

/** The publication of tables that send row changes. */
const PUBLICATION = 'supabase_realtime'

/** The names of the tables in the publication, with their schemas. */
export const publishedQuery = queryOptions({
  queryKey: [...catalogKey, 'published'],
  queryFn: async ({ signal }) =>
    new Set(
      await readJson<string>(
        'select to_json(schemaname || $2 || tablename) from pg_publication_tables where pubname = $1',
        [PUBLICATION, '.'],
        { signal },
      ),
    ),
})

/** Milliseconds between checks of connected clients. */
const LOOK_AGAIN = 2_000

export const clientsQuery = (search: string) =>
  queryOptions({
    queryKey: ['realtime clients', search],
    queryFn: ({ signal }) =>
      service<ConnectedClients>(`/undock/v1/realtime/clients?${new URLSearchParams({ search })}`, { signal }),
    refetchInterval: LOOK_AGAIN,
  })

/** Formats a caller. */
export const callerText = ({ role, user, email }: ClientCaller): string =>
  user === null ? role : `${email ?? user} (${role})`
