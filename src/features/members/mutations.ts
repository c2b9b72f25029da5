import { mutationOptions } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { t } from '../../lib/i18n.ts'
import { invoke } from '../../lib/invoke.ts'
import type { Role } from '../../lib/roles.ts'
import { supabase } from '../../lib/supabase.ts'

export type GrantRole = 'reader' | 'editor'

export const setRole = mutationOptions({
  mutationFn: async ({ library, person, role }: { library: string; person: string; role: Role }) => {
    const { data } = await supabase
      .from('members')
      .update({ role })
      .eq('library_id', library)
      .eq('user_id', person)
      .select('user_id')
      .throwOnError()
    // Row security does not refuse: it changes nothing. That must not look like success.
    if (data.length === 0) throw new Error(t('Only an owner of the library can change roles.'))
  },
})

export const removeMember = mutationOptions({
  mutationFn: async ({ library, person }: { library: string; person: string }) => {
    const { data } = await supabase
      .from('members')
      .delete()
      .eq('library_id', library)
      .eq('user_id', person)
      .select('user_id')
      .throwOnError()
    if (data.length === 0) throw new Error(t('Only an owner of the library can remove members.'))
  },
})

const Invited = z.object({ id: z.guid(), token: z.string(), expires_at: z.string(), mailed: z.boolean() })
export type Invited = z.infer<typeof Invited>

export type Invitation = {
  library: string
  email: string
  role: Role
  /** What a guest is to see, and what they may do there. */
  collection?: string
  collection_role?: GrantRole
}

/** Makes the invitation and mails it. @returns with the link's token, which is not kept anywhere. */
export const inviteMember = mutationOptions({
  mutationFn: (invitation: Invitation) => invoke('invite', { ...invitation, site: location.origin }, Invited),
})

export const withdrawInvitation = mutationOptions({
  mutationFn: async (invitation: string) => {
    await supabase.from('invitations').delete().eq('id', invitation).throwOnError()
  },
})

export const setGrant = mutationOptions({
  mutationFn: async (grant: { library: string; collection: string; person: string; role: GrantRole }) => {
    await supabase
      .from('collection_grants')
      .upsert(
        { library_id: grant.library, collection_id: grant.collection, user_id: grant.person, role: grant.role },
        { onConflict: 'collection_id,user_id' },
      )
      .throwOnError()
  },
})

export const removeGrant = mutationOptions({
  mutationFn: async ({ collection, person }: { collection: string; person: string }) => {
    await supabase
      .from('collection_grants')
      .delete()
      .eq('collection_id', collection)
      .eq('user_id', person)
      .throwOnError()
  },
})
