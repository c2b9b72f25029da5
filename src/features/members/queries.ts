import { keys } from '../../domain/keys.ts'
import { type DataOf, databaseQuery } from '../../lib/backend/database-query.ts'
import { supabase } from '../../lib/backend/supabase.ts'

export const membersQuery = (library: string) =>
  databaseQuery(keys.members(library), () =>
    supabase
      .from('members')
      .select('user_id, role, joined_at, is_new, profile:profiles!inner(display_name, avatar_path)')
      .eq('library_id', library)
      .order('joined_at'),
  )
export type Member = DataOf<typeof membersQuery>[number]

export const grantsQuery = (library: string) =>
  databaseQuery(keys.grants(library), () =>
    supabase
      .from('collection_grants')
      .select('user_id, role, collection:collections!inner(id, name)')
      .eq('library_id', library)
      .order('created_at'),
  )
export type Grant = DataOf<typeof grantsQuery>[number]

/** A library's groups with member ids and grants. Guests see only their own. */
export const groupsQuery = (library: string) =>
  databaseQuery(
    keys.groups(library),
    () =>
      supabase
        .from('groups')
        .select(
          'id, name, description, members:group_members(user_id), grants:group_grants(role, collection:collections!inner(id, name))',
        )
        .eq('library_id', library)
        .order('name'),
    (data) => data.map(({ members, ...group }) => ({ ...group, people: members.map(({ user_id }) => user_id) })),
  )
export type Group = DataOf<typeof groupsQuery>[number]

/** Pending invitations; empty for non-owners. */
export const openInvitationsQuery = (library: string) =>
  databaseQuery(keys.openInvitations(library), () =>
    supabase
      .from('invitations')
      .select('id, email, role, collection_id, collection_role, locale, created_at, expires_at, asked_at')
      .eq('library_id', library)
      .is('accepted_at', null)
      .order('created_at', { ascending: false }),
  )
export type OpenInvitation = DataOf<typeof openInvitationsQuery>[number]
