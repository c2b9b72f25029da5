import type { SupabaseClient } from '@supabase/supabase-js'
import { z } from 'zod'
import { refusal } from '../_shared/errors.ts'

const Row = z.object({
  id: z.guid(),
  library_id: z.guid(),
  domain: z.string(),
  token: z.string(),
  verified_at: z.string().nullable(),
  provider_id: z.guid().nullable(),
  entity_id: z.string().nullable(),
  metadata_url: z.string().nullable(),
})

/** A mail domain of a library, and the owner who asks. */
export type OwnedDomain = z.infer<typeof Row> & { readonly owner: string }

/** Reads the domain with the rights of the caller: only owners of its library see it.
 *  @param token The caller's access token.
 *  @throws {Refusal} 404 when they do not see it. */
export async function ownedDomain(id: string, caller: SupabaseClient, token: string): Promise<OwnedDomain> {
  const found = await readDomain(id, caller)
  if (!found) throw refusal('sign_in_domain_gone')
  const { data, error } = await caller.auth.getUser(token)
  if (error) throw error
  return { ...found, owner: data.user.id }
}

/** @returns null for a domain that the caller does not see */
export async function readDomain(id: string, caller: SupabaseClient): Promise<z.infer<typeof Row> | null> {
  const { data } = await caller
    .from('sign_in_domains')
    .select('id, library_id, domain, token, verified_at, provider_id, entity_id, metadata_url')
    .eq('id', id)
    .maybeSingle()
    .throwOnError()
  return data && Row.parse(data)
}
