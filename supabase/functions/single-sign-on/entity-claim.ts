import type { Holder } from '../_shared/sign-in/domains.ts'

/** A day in milliseconds: by then the person who set up a connection has tried it. */
const UNTRIED = 86_400_000

/** @returns the entity ID in the metadata. Only for choosing a holder: the auth service parses it itself and decides
 *  whether it's free. */
export const entityOf = (xml: string): string | undefined =>
  /\sentityID\s*=\s*(["'])(.+?)\1/.exec(xml)?.[2]?.replaceAll('&amp;', '&')

/** Returns the strength of a library's claim to an identity provider: 2 if it has verified the domain of the entity ID,
 *  1 if the metadata is served by the entity ID's host, 0 otherwise. Entity IDs and metadata of other companies are
 *  public.
 *  @param url The metadata's address; null for a file. */
export function rightTo(entity: string, domains: readonly string[], url: string | null): 0 | 1 | 2 {
  const named = URL.parse(entity)
  const host = named?.hostname
  if (!named || !host) return 0
  if (domains.some((domain) => host === domain || host.endsWith(`.${domain}`))) return 2
  const served = url === null ? null : URL.parse(url)
  if (!served) return 0
  return served.host === named.host || isEntra(named, served) ? 1 : 0
}

/** Microsoft's entity IDs and metadata are on different hosts. */
const isEntra = (named: URL, served: URL): boolean =>
  named.host === 'sts.windows.net' &&
  served.host === 'login.microsoftonline.com' &&
  named.pathname.split('/')[1] === served.pathname.split('/')[1]

/** Whether a library may take over an identity provider: from a holder with a weaker claim, or with an equal claim who
 *  has never used it. A provider in use goes only to a library that has verified its domain. Domains of one library
 *  share a provider. */
export function mayTake(entity: string, library: string, right: number, holder: Holder, now = Date.now()): boolean {
  if (holder.library_id === library) return false
  // Signing in requires the company's accounts. Its metadata is public and proves nothing against them.
  if (holder.is_used && right < 2) return false
  const held = rightTo(entity, holder.domains, holder.metadata_url)
  const isUntried = !holder.is_used && now - Date.parse(holder.connected_at ?? '') > UNTRIED
  return right > held || (right === held && isUntried)
}
