import { queryOptions } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { keys } from '../../domain/keys.ts'
import { type DataOf, databaseQuery } from '../../lib/backend/database-query.ts'
import { setUp } from '../../lib/backend/edge-functions.ts'
import { supabase } from '../../lib/backend/supabase.ts'

const Settings = z.object({ domain: z.nullable(z.string()) })

/** The domain of mail addresses; null if mail is off. */
export const mailDomainQuery = (library: string) =>
  queryOptions({
    queryKey: [...keys.mailIn(library), 'domain'],
    queryFn: async () => (await setUp('receive-mail', Settings))?.domain ?? null,
  })

const LAST_MAILS = 20

/** A library's mail addresses, oldest first, with their latest mails. */
export const mailAddressesQuery = (library: string) =>
  databaseQuery([...keys.mailIn(library), 'addresses'], () =>
    supabase
      .from('mail_addresses')
      .select(
        'id, name, secret, collection_id, senders, enabled, made_at, owner:profiles(id, display_name), mails:received_mails(id, received_at, sender_name, sender_address, subject, outcome, documents, document_id)',
      )
      .eq('library_id', library)
      .order('made_at')
      .order('id', { referencedTable: 'mails', ascending: false })
      .limit(LAST_MAILS, { referencedTable: 'mails' }),
  )
export type MailAddress = DataOf<typeof mailAddressesQuery>[number]
export type ReceivedMail = MailAddress['mails'][number]
