import { identityClaims, oidcProfile, type Profile } from '../external/profile.ts'
import type { Json } from '../params.ts'
import type { CustomProvider } from './providers.ts'

/** The profile that a provider's raw claims make: listed claims are copied as they are, then claims take each other's
 *  place (a text names another claim) or a fixed value.
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
