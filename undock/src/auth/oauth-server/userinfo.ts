import type { AuthDeps } from '../deps.ts'
import { type AuthenticatedCall, json } from '../http/call.ts'
import { profileClaims } from './id-token.ts'
import { scopesOf } from './scopes.ts'

/** GET /oauth/userinfo: the user's claims that the session's scopes allow (OpenID Connect Core §5.3).
 *  @see supabase/auth internal/api/oauthserver/handlers.go, OAuthUserInfo */
export async function userinfo(_deps: AuthDeps, { caller: { user, session } }: AuthenticatedCall): Promise<Response> {
  const scopes = scopesOf(session?.scopes ?? '')
  return json({
    sub: user.id,
    ...(scopes.includes('email') && user.email ? { email: user.email } : {}),
    ...(scopes.includes('email') && user.email_confirmed_at ? { email_verified: true } : {}),
    ...(scopes.includes('profile') ? { ...profileClaims(user), user_metadata: user.raw_user_meta_data } : {}),
    ...(scopes.includes('phone') && user.phone ? { phone: user.phone } : {}),
    ...(scopes.includes('phone') && user.phone_confirmed_at ? { phone_verified: true } : {}),
  })
}
