import { timeZone } from '../../domain/document-filter.ts'
import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { defineMutation } from '../../lib/mutations.ts'
import type { MailChoices } from './queries.ts'

export type Read = { ids: readonly number[] } | { document: string } | { upTo: number }

/** @returns the ids of those that were unread. */
export const readNotifications = defineMutation({
  mutationFn: async (read: Read) => {
    const which =
      'ids' in read ? { ids: [...read.ids] } : 'document' in read ? { document: read.document } : { up_to: read.upTo }
    return (await supabase.rpc('read_notifications', which).throwOnError()).data
  },
  invalidates: () => [keys.notifications],
})

export const unreadNotifications = defineMutation({
  mutationFn: (ids: readonly number[]) => supabase.rpc('unread_again', { ids: [...ids] }).throwOnError(),
  invalidates: () => [keys.notifications],
})

/** Saves mail settings with the device's time zone, on which the hour depends. */
export const chooseMails = defineMutation({
  mutationFn: (choice: MailChoice) =>
    supabase
      .from('notification_settings')
      .upsert({ time_zone: timeZone(), ...choice }, { onConflict: 'user_id' })
      .throwOnError(),
  invalidates: () => [keys.mails],
})
export type MailChoice = Partial<Omit<MailChoices, 'user_id' | 'time_zone'>>

export const saveTimeZone = defineMutation({
  mutationFn: (zone: string) => supabase.rpc('set_time_zone', { zone }).throwOnError(),
})
