import { queryOptions } from '@tanstack/react-query'
import { refetchAfter } from '../../domain/failure.ts'
import { keys } from '../../domain/keys.ts'
import { type DataOf, databaseQuery } from '../../lib/backend/database-query.ts'
import { supabase } from '../../lib/backend/supabase.ts'

/** A library's webhooks; empty for non-owners. */
export const webhooksQuery = (library: string) =>
  databaseQuery([...keys.webhooks(library), 'list'], () =>
    supabase
      .from('webhooks')
      .select('id, url, description, events, is_active, failing_since, turned_off_at, created_at')
      .eq('library_id', library)
      .order('created_at')
      .order('id'),
  )
export type Webhook = DataOf<typeof webhooksQuery>[number]

const MAX_DELIVERIES = 50

/** A webhook's latest deliveries, newest first. Polled while one is pending. */
export const deliveriesQuery = (library: string, webhook: string) =>
  queryOptions({
    queryKey: [...keys.webhooks(library), 'deliveries', webhook],
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('webhook_deliveries')
        .select('id, type, payload, state, due_at, attempts, attempted_at, status, answer, problem, created_at')
        .eq('webhook_id', webhook)
        .order('id', { ascending: false })
        .limit(MAX_DELIVERIES)
        .abortSignal(signal)
        .throwOnError()
      return data
    },
    refetchInterval: ({ state: { data, error } }) =>
      refetchAfter(error, data?.some(({ state }) => state === 'waiting') ? 3000 : false),
  })
export type Delivery = DataOf<typeof deliveriesQuery>[number]
