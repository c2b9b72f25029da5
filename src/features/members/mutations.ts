import * as z from 'zod/mini'
import { keys } from '../../domain/keys.ts'
import type { Role } from '../../domain/roles.ts'
import { invoke } from '../../lib/backend/edge-functions.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { defineMutation } from '../../lib/mutations.ts'

export type GrantRole = 'reader' | 'editor'

export const setRole = defineMutation({
  mutationFn: async ({ library, person, role }: { library: string; person: string; role: Role }) => {
    const { data } = await supabase
      .from('members')
      .update({ role })
      .eq('library_id', library)
      .eq('user_id', person)
      .select('user_id')
      .throwOnError()
    // Row-level security does not raise an error, it changes no row. That must not look like success.
    if (data.length === 0) throw new Error(t('Only an owner of the library can change roles.'))
  },
  invalidates: ({ library }) => [keys.members(library), keys.grants(library)],
})

export const removeMember = defineMutation({
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
  invalidates: ({ library }) => [keys.members(library), keys.grants(library), keys.libraries],
})

const Invited = z.object({
  id: z.guid(),
  token: z.string(),
  expires_at: z.string(),
  mail: z.enum(['sent', 'limited', 'failed']),
})
export type Invited = z.infer<typeof Invited>

export type Invitation = {
  library: string
  email: string
  role: Role
  /** The collection that a guest is invited to, and their role there. */
  collection?: string
  collection_role?: GrantRole
  /** The language of the mail, for an address whose account has not chosen one. */
  locale: string
}

/** Makes the invitation and mails it. @returns the link's token, which is stored nowhere. */
export const inviteMember = defineMutation({
  mutationFn: (invitation: Invitation) => invoke('invite', { ...invitation, site: location.origin }, Invited),
  invalidates: ({ library }) => [keys.openInvitations(library)],
})

export const withdrawInvitation = defineMutation({
  mutationFn: async ({ invitation }: { library: string; invitation: string }) => {
    await supabase.from('invitations').delete().eq('id', invitation).throwOnError()
  },
  invalidates: ({ library }) => [keys.openInvitations(library)],
})

export const setGrant = defineMutation({
  mutationFn: async (grant: { library: string; collection: string; person: string; role: GrantRole }) => {
    await supabase
      .from('collection_grants')
      .upsert(
        { library_id: grant.library, collection_id: grant.collection, user_id: grant.person, role: grant.role },
        { onConflict: 'collection_id,user_id' },
      )
      .throwOnError()
  },
  invalidates: ({ library }) => [keys.grants(library)],
})

export const removeGrant = defineMutation({
  mutationFn: async ({ collection, person }: { library: string; collection: string; person: string }) => {
    await supabase
      .from('collection_grants')
      .delete()
      .eq('collection_id', collection)
      .eq('user_id', person)
      .throwOnError()
  },
  invalidates: ({ library }) => [keys.members(library), keys.grants(library)],
})
