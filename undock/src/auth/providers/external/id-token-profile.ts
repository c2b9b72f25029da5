import type { Json } from '../../models/params.ts'
import {
  claimText,
  isTrue,
  nameClaims,
  oidcProfile,
  onlyEmail,
  type Profile,
  pictureClaims,
  profileOf,
  usernameClaims,
} from '../profile.ts'

/** Returns the profile in an ID token, read like upstream for each issuer.
 *  @see supabase/auth internal/api/provider/oidc.go */
export function idTokenProfile(provider: string, claims: Json): Profile {
  const iss = claimText(claims.iss)
  const { sub, email } = claims
  switch (provider) {
    case 'google': {
      const verified = isTrue(claims.email_verified) || isTrue(claims.verified_email)
      const custom_claims = claims.hd ? { hd: claims.hd } : {}
      return profileOf(
        { iss, sub, ...nameClaims(claims.name), ...pictureClaims(claims.picture), custom_claims },
        onlyEmail(email, { verified }),
      )
    }
    case 'apple': {
      const { is_private_email: hides, auth_time, transfer_sub } = claims
      const custom_claims = {
        ...(hides === undefined ? {} : { is_private_email: isTrue(hides) }),
        ...(auth_time === undefined ? {} : { auth_time }),
        ...(transfer_sub ? { transfer_sub } : {}),
      }
      return profileOf({ iss, sub, custom_claims }, onlyEmail(email, { verified: true }))
    }
    case 'azure':
      return azureProfile(claims, iss)
    case 'facebook':
      return profileOf({ iss, sub, name: claims.name, picture: claims.picture }, onlyEmail(email, { verified: true }))
    case 'kakao': {
      const { nickname } = claims
      const details = { name: nickname, preferred_username: nickname, picture: claims.picture }
      return profileOf({ iss, sub, ...details }, onlyEmail(email, { verified: true }))
    }
    case 'linkedin_oidc': {
      const { given_name, family_name, locale, picture } = claims
      const name = `${claimText(given_name)} ${claimText(family_name)}`.trim()
      const known = { name, given_name, family_name, locale: claimText(locale), picture }
      return profileOf({ iss, sub, ...known }, onlyEmail(email, { verified: isTrue(claims.email_verified) }))
    }
    case 'snapchat':
      return {
        ...oidcProfile(claims, iss),
        emails: onlyEmail(email, { verified: true }).filter((one) => one.email !== ''),
      }
    case 'vercel_marketplace': {
      const { global_user_id: id } = claims
      const known = { name: claims.user_name, picture: claims.user_avatar_url }
      return profileOf(
        { iss, sub: id ? `global_user_id:${claimText(id)}` : sub, ...known },
        onlyEmail(claims.user_email, { verified: true }),
      )
    }
    default:
      return oidcProfile(claims, iss)
  }
}

const TECHNICAL = new Set(
  'aud iss iat nbf exp c_hash at_hash aio nonce rh uti jti ver sub name preferred_username'.split(' '),
)

function azureProfile(claims: Json, iss: string): Profile {
  const custom_claims = Object.fromEntries(Object.entries(claims).filter(([name]) => !TECHNICAL.has(name)))
  const details = {
    preferred_username: usernameClaims(claims.preferred_username).preferred_username,
    full_name: claims.name,
    custom_claims,
  }
  // Without xms_edov, all of Azure's addresses count as verified.
  const verified = claims.xms_edov === undefined || isTrue(claims.xms_edov)
  return profileOf({ iss, sub: claims.sub, ...details }, onlyEmail(claims.email, { verified }))
}
