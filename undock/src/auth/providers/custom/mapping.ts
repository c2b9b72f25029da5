import type { Json } from '../../models/params.ts'
import { identityClaims, oidcProfile, type Profile } from '../profile.ts'
import type { CustomProvider } from './custom-providers.ts'

/** Makes a profile from a provider's raw claims: listed claims are copied, then the mapping sets claims from another
 *  claim (given by name) or to a fixed value.
 *  @see supabase/auth internal/api/provider/custom_oauth.go */
export function mappedProfile(
  raw: Json,
  iss: string,
  { custom_claims_allowlist: allowed, attribute_mapping: mapping }: CustomProvider,
): Profile {
  const custom = Object.fromEntries(allowed.flatMap((name) => (Object.hasOwn(raw, name) ? [[name, raw[name]]] : [])))
  const claims: Json = {
    ...identityClaims(raw),
    ...(Object.keys(custom).length > 0 ? { custom_claims: custom } : {}),
  }
  const mapped: Json = { ...claims }
  for (const [target, source] of Object.entries(mapping)) {
    if (typeof source !== 'string') mapped[target] = source
    else if (Object.hasOwn(claims, source)) mapped[target] = claims[source]
  }
  return oidcProfile(mapped, typeof mapped.iss === 'string' ? mapped.iss : iss)
}
