import type { Holder } from '../_shared/sign-in/domains.ts'

/** A day in milliseconds: until then somebody who has set up a connection has tried it. */
const UNTRIED = 86_400_000

/** @returns The entity ID in metadata. The auth service reads it by itself, and alone decides whether it is free. */
export const entityOf = (xml: string): string | undefined =>
  /\sentityID\s*=\s*(["'])(.+?)\1/.exec(xml)?.[2]?.replaceAll('&amp;', '&')

/** How much right a library has to an identity provider: 2 when it has proven the domain of the provider's entity ID, 1 when the metadata is
 *  served by the host of the entity ID, 0 when nothing speaks for it. Everybody knows another company's entity ID, and its metadata.
 *  @param url Where the metadata is; null for a file. */
export function rightTo(entity: string, domains: readonly string[], url: string | null): 0 | 1 | 2 {
  const named = URL.parse(entity)
  const host = named?.hostname
  if (!named || !host) return 0
  if (domains.some((domain) => host === domain || host.endsWith(`.${domain}`))) return 2
  const served = url === null ? null : URL.parse(url)
  if (!served) return 0
  return served.host === named.host || isEntra(named, served) ? 1 : 0
}

/** Microsoft names its tenants by one host and serves their metadata by another one. */
const isEntra = (named: URL, served: URL): boolean =>
  named.host === 'sts.windows.net' &&
  served.host === 'login.microsoftonline.com' &&
  named.pathname.split('/')[1] === served.pathname.split('/')[1]

/** Whether a library may take an identity provider from the one that has it: from one that has less right to it, or the same and has
 *  never used it. One by which people sign in is taken only by who has proven its domain. Within a library, domains share one. */
export function mayTake(entity: string, library: string, right: number, holder: Holder, now = Date.now()): boolean {
  if (holder.library_id === library) return false
  // People sign in by it, which needs the company's accounts. Its metadata is public: to read that proves nothing against them.
  if (holder.is_used && right < 2) return false
  const held = rightTo(entity, holder.domains, holder.metadata_url)
  const isUntried = !holder.is_used && now - Date.parse(holder.connected_at ?? '') > UNTRIED
  return right > held || (right === held && isUntried)
}
