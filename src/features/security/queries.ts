import { queryOptions } from '@tanstack/react-query'
import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'

/** The claims of this session's access token, its signature checked against the project's public keys.
 *  @param token The token they belong to: a refreshed one has claims of its own. */
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

/** The identities of this account: an address with its password, and provider accounts. */
export const identitiesQuery = queryOptions({
  queryKey: keys.identities,
  queryFn: async () => {
    const { data, error } = await supabase.auth.getUserIdentities()
    if (error) throw error
    return data.identities
  },
})

/** Where this person is signed in, this session first. */
export const sessionsQuery = queryOptions({
  queryKey: keys.sessions,
  queryFn: async ({ signal }) => (await supabase.rpc('my_sessions').abortSignal(signal).throwOnError()).data,
})

/** The account as the auth service has it now: the session's own copy may be an hour old. */
export const accountQuery = queryOptions({
  queryKey: [...keys.account, 'itself'],
  queryFn: async () => {
    const { data, error } = await supabase.auth.getUser()
    if (error) throw error
    return { email: data.user.email ?? '', newEmail: data.user.new_email }
  },
})
