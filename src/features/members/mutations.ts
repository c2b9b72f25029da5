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
    // Row security raises no error but changes no row.
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
  collection?: string
  collection_role?: GrantRole
  /** The mail's language, unless the account has chosen one. */
  locale: string
}

/** Creates and mails an invitation. @returns the link's token, which isn't stored. */
export const inviteMember = defineMutation({
  mutationFn: (invitation: Invitation) => invoke('invite', { ...invitation, site: location.origin }, Invited),
  invalidates: ({ library }) => [keys.openInvitations(library)],
})

export const withdrawInvitation = defineMutation({
  mutationFn: ({ invitation }: { library: string; invitation: string }) =>
    supabase.from('invitations').delete().eq('id', invitation).throwOnError(),
  invalidates: ({ library }) => [keys.openInvitations(library)],
})

export type Grantee = { person: string } | { group: string }

type GrantDraft = { library: string; collection: string; grantee: Grantee; role: GrantRole }

export const setGrant = defineMutation({
  mutationFn: async ({ collection, grantee, role }: GrantDraft) => {
    const to = 'person' in grantee ? { person: grantee.person } : { to_group: grantee.group }
    await supabase.rpc('grant_collection', { collection, role, ...to }).throwOnError()
  },
  invalidates: ({ library }) => [keys.grants(library), keys.groups(library)],
})

export const removeGrant = defineMutation({
  mutationFn: async ({ collection, grantee }: { library: string; collection: string; grantee: Grantee }) => {
    const request =
      'person' in grantee
        ? supabase.from('collection_grants').delete().eq('user_id', grantee.person)
        : supabase.from('group_grants').delete().eq('group_id', grantee.group)
    await request.eq('collection_id', collection).throwOnError()
  },
  invalidates: ({ library }) => [keys.members(library), keys.grants(library), keys.groups(library)],
})

export type GroupDraft = {
  library: string
  /** Undefined for a new one. */
  id: string | undefined
  name: string
  description: string
  added: string[]
  removed: string[]
}

export const saveGroup = defineMutation({
  mutationFn: ({ id, ...draft }: GroupDraft) =>
    supabase.rpc('save_group', { ...draft, ...(id ? { id } : {}) }).throwOnError(),
  invalidates: ({ library }) => [keys.groups(library)],
})

export const deleteGroup = defineMutation({
  mutationFn: async ({ group }: { library: string; group: string }) => {
    const { data } = await supabase.from('groups').delete().eq('id', group).select('id').throwOnError()
    if (data.length === 0) throw new Error(t('Only an owner of the library can change its groups.'))
  },
  invalidates: ({ library }) => [keys.groups(library)],
})
