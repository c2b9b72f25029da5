import type { Client } from '../_shared/clients.ts'
import { refusal } from '../_shared/errors.ts'

export type Domain = NonNullable<Awaited<ReturnType<typeof readDomain>>>
export type OwnedDomain = Domain & { readonly owner: string }

/** Reads the domain with the caller's rights: only owners of its library see it.
 *  @param token The caller's access token.
 *  @throws {Refusal} 404 if they don't see it. */
export async function ownedDomain(id: string, caller: Client, token: string): Promise<OwnedDomain> {
  const domain = await readDomain(id, caller)
  if (!domain) throw refusal('sign_in_domain_gone')
  const { data, error } = await caller.auth.getUser(token)
  if (error) throw error
  return { ...domain, owner: data.user.id }
}

/** @returns null if the caller can't see the domain. */
export async function readDomain(id: string, caller: Client) {
  const { data } = await caller
    .from('sign_in_domains')
    .select('id, library_id, domain, token, verified_at, provider_id, entity_id, metadata_url')
    .eq('id', id)
    .maybeSingle()
    .throwOnError()
  return data
}
