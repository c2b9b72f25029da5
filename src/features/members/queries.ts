import { queryOptions } from '@tanstack/react-query'
import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'

export const membersQuery = (library: string) =>
  queryOptions({
    queryKey: keys.members(library),
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('members')
        .select('user_id, role, joined_at, is_new, profile:profiles!inner(display_name, avatar_path)')
        .eq('library_id', library)
        .order('joined_at')
        .abortSignal(signal)
        .throwOnError()
      return data
    },
  })
export type Member = Awaited<ReturnType<NonNullable<ReturnType<typeof membersQuery>['queryFn']>>>[number]

export const grantsQuery = (library: string) =>
  queryOptions({
    queryKey: keys.grants(library),
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('collection_grants')
        .select('user_id, role, collection:collections!inner(id, name)')
        .eq('library_id', library)
        .order('created_at')
        .abortSignal(signal)
        .throwOnError()
      return data
    },
  })
export type Grant = Awaited<ReturnType<NonNullable<ReturnType<typeof grantsQuery>['queryFn']>>>[number]

/** A library's groups with member ids and grants. Guests see only their own. */
export const groupsQuery = (library: string) =>
  queryOptions({
    queryKey: keys.groups(library),
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('groups')
        .select(
          'id, name, description, members:group_members(user_id), grants:group_grants(role, collection:collections!inner(id, name))',
        )
        .eq('library_id', library)
        .order('name')
        .abortSignal(signal)
        .throwOnError()
      return data.map(({ members, ...group }) => ({ ...group, people: members.map(({ user_id }) => user_id) }))
    },
  })
export type Group = Awaited<ReturnType<NonNullable<ReturnType<typeof groupsQuery>['queryFn']>>>[number]

/** Pending invitations; empty for non-owners. */
export const openInvitationsQuery = (library: string) =>
  queryOptions({
    queryKey: keys.openInvitations(library),
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('invitations')
        .select('id, email, role, collection_id, collection_role, locale, created_at, expires_at, asked_at')
        .eq('library_id', library)
        .is('accepted_at', null)
        .order('created_at', { ascending: false })
        .abortSignal(signal)
        .throwOnError()
      return data
    },
  })
export type OpenInvitation = Awaited<
  ReturnType<NonNullable<ReturnType<typeof openInvitationsQuery>['queryFn']>>
>[number]
