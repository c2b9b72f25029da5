import { queryOptions } from '@tanstack/react-query'
import { keys } from '../../domain/keys.ts'
import { databaseQuery } from '../../lib/backend/database-query.ts'
import { supabase } from '../../lib/backend/supabase.ts'

/** The session's token claims, verified with the project's public keys.
 *  @param token The access token, because a refreshed one has other claims. */
export const claimsQuery = (token: string) =>
  queryOptions({
    queryKey: [...keys.claims, token.slice(-24)],
    queryFn: async () => {
      const { data, error } = await supabase.auth.getClaims()
      if (error) throw error
      return data?.claims ?? null
    },
  })

export const factorsQuery = queryOptions({
  queryKey: keys.factors,
  queryFn: async () => {
    const { data, error } = await supabase.auth.mfa.listFactors()
    if (error) throw error
    return data.all.map(({ id, friendly_name, factor_type, status, created_at }) => {
      return { id, friendly_name, factor_type, status, created_at }
    })
  },
})

export const passkeysQuery = queryOptions({
  queryKey: keys.passkeys,
  queryFn: async () => {
    const { data, error } = await supabase.auth.passkey.list()
    if (error) throw error
    return data
  },
})

export const identitiesQuery = queryOptions({
  queryKey: keys.identities,
  queryFn: async () => {
    const { data, error } = await supabase.auth.getUserIdentities()
    if (error) throw error
    return data.identities
  },
})

export const sessionsQuery = databaseQuery(keys.sessions, () => supabase.rpc('my_sessions'))

/** The current account: the session's copy may be an hour old. */
export const accountQuery = queryOptions({
  queryKey: [...keys.account, 'itself'],
  queryFn: async () => {
    const { data, error } = await supabase.auth.getUser()
    if (error) throw error
    return { email: data.user.email ?? '', newEmail: data.user.new_email }
  },
})
