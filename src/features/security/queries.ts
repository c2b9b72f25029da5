import { queryOptions } from '@tanstack/react-query'
import { keys } from '../../lib/keys.ts'
import { supabase } from '../../lib/supabase.ts'

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
