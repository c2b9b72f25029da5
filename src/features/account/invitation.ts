import * as z from 'zod/mini'
import { keys } from '../../domain/keys.ts'
import { databaseQuery } from '../../lib/backend/database-query.ts'
import { invoke } from '../../lib/backend/edge-functions.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { currentLanguage } from '../../lib/i18n/i18n.ts'
import { defineMutation, orThrow } from '../../lib/mutations.ts'

/** The invitation behind a link, for visitors too; null if it's missing or no longer valid. */
export const invitationQuery = (token: string) =>
  databaseQuery(
    [...keys.invitations, 'link', token],
    () => supabase.rpc('find_invitation', { token }),
    (data) => data[0] ?? null,
  )

type NewAccount = {
  token: string
  /** Only the invitation's mail has it. */
  key: string
  email: string
  name: string
  /** Null for a passkey. */
  password: string | null
}

/** Sets up an invited person's account: creates it, sets the name and a password or passkey. Can be repeated after a
 *  partial failure, even with another password. */
export const setUpAccount = defineMutation({
  mutationFn: async ({ token, key, email, name, password }: NewAccount) => {
    const { data } = await supabase.auth.getSession()
    if (data.session?.user.email?.toLowerCase() !== email) {
      const { token_hash } = await invoke('join', { token, key }, z.object({ token_hash: z.string() }))
      await orThrow(supabase.auth.verifyOtp({ token_hash, type: 'invite' }))
    }
    if (password === null) await orThrow(supabase.auth.registerPasskey())
    // Last: an account with a name is complete.
    const { data: updated, error } = await supabase.auth.updateUser({
      ...(password === null ? {} : { password }),
      data: { display_name: name, locale: currentLanguage() },
    })
    if (error) throw error
    await supabase.from('profiles').update({ display_name: name }).eq('id', updated.user.id).throwOnError()
  },
})

export const askForInvitation = defineMutation({
  mutationFn: (token: string) => invoke('join', { token, ask: true }, z.object({ asked: z.literal(true) })),
})
