import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import * as z from 'zod/mini'
import type { Database } from '../../../supabase/functions/_shared/database.ts'
import { keys } from '../../domain/keys.ts'
import { type DataOf, databaseQuery } from '../../lib/backend/database-query.ts'
import { setUp } from '../../lib/backend/edge-functions.ts'
import { supabase } from '../../lib/backend/supabase.ts'

const PAGE = 50

const Unread = z.object({ unread: z.number(), documents: z.array(z.string()) })
export type Unread = z.infer<typeof Unread>

export const unreadKey = [...keys.notifications, 'unread']
export const inboxKey = [...keys.notifications, 'inbox']

/** The number of unread notifications, up to a hundred, and their documents. */
export const unreadNotificationsQuery = databaseQuery(
  unreadKey,
  () => supabase.rpc('unread_notifications'),
  (data) => Unread.parse(data),
)

export type InboxFilter = { show?: 'all' | undefined }

export const inboxQuery = ({ show }: InboxFilter) =>
  infiniteQueryOptions({
    queryKey: [...inboxKey, show ?? 'unread'],
    initialPageParam: Number.MAX_SAFE_INTEGER,
    queryFn: async ({ pageParam: before, signal }) => {
      let request = supabase
        .from('notifications')
        .select(
          'id, kind, library_id, document_id, comment_id, invitation_id, search_id, amount, failed, rule, read_at, created_at, library:libraries(name), document:documents(title, kind, mime_type), comment:comments(body), actor:profiles!notifications_actor_id_fkey(display_name, avatar_path), actors(display_name), search:saved_searches(name, query, filters), request:file_requests(title, collection_id)',
        )
        .lt('id', before)
      if (show !== 'all') request = request.is('read_at', null)
      const { data } = await request.order('id', { ascending: false }).limit(PAGE).abortSignal(signal).throwOnError()
      return data
    },
    getNextPageParam: (page) => (page.length === PAGE ? page.at(-1)?.id : undefined),
  })
export type Notification = DataOf<typeof inboxQuery>[number]

/** A person's mail settings, or the database's defaults. */
export const mailSettingsQuery = (person: string) =>
  databaseQuery(
    [...keys.mails, person],
    () =>
      supabase
        .from('notification_settings')
        .select('mention, reply, import, search, rule, verification, hour')
        .eq('user_id', person),
    ([row]) => row ?? DEFAULT_MAILS,
  )

export const serverMailsQuery = queryOptions({
  queryKey: [...keys.mails, 'server'],
  staleTime: 10 * 60_000,
  queryFn: async () => (await setUp('notify', Mails))?.mails ?? false,
})
const Mails = z.object({ mails: z.boolean() })

const DEFAULT_MAILS = {
  mention: 'at_once',
  reply: 'at_once',
  import: 'daily',
  search: 'daily',
  rule: 'daily',
  verification: 'daily',
  hour: 8,
} as const
export type MailChoices = Database['public']['Tables']['notification_settings']['Row']
