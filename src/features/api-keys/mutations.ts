import * as z from 'zod/mini'
import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { defineMutation } from '../../lib/mutations.ts'

const Created = z.object({ id: z.guid(), key: z.string(), expires_at: z.nullable(z.string()) })

/** @param days Lifetime; 0 until it is revoked. @returns the key, which isn't stored. */
export const createApiKey = defineMutation({
  mutationFn: async ({
    library,
    name,
    scopes,
    days,
  }: {
    library: string
    name: string
    scopes: string[]
    days: number
  }) => {
    const { data } = await supabase
      .rpc('create_api_key', { library, name, scopes, ...(days > 0 ? { days } : {}) })
      .throwOnError()
    return z.parse(Created, data)
  },
  invalidates: ({ library }) => [keys.apiKeys(library), keys.activity(library)],
})

export const revokeApiKey = defineMutation({
  mutationFn: ({ key }: { library: string; key: string }) => supabase.rpc('revoke_api_key', { key }).throwOnError(),
  invalidates: ({ library }) => [keys.apiKeys(library), keys.activity(library)],
})
