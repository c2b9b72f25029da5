import { listAudit } from './admin-audit.ts'
import { listFactors, removeFactor, UpdateFactor, updateFactor } from './admin-factors.ts'
import { AdminUser } from './admin-params.ts'
import { createUser } from './admin-user-create.ts'
import { updateUserAsAdmin } from './admin-user-update.ts'
import { getUser, listUsers, removeUser } from './admin-users.ts'
import { customProviderRoutes } from './custom-providers/routes.ts'
import type { AuthConfig } from './deps.ts'
import { jwks, openidConfiguration } from './discovery.ts'
import type { Refusal } from './errors.ts'
import { authorize, authorizeLink } from './external/authorize.ts'
import { callback } from './external/callback.ts'
import { EnrollFactor, enrollFactor, unenrollFactor } from './factor-enroll.ts'
import { challengeFactor, VerifyFactor, verifyFactorAnswer } from './factor-verify.ts'
import { GenerateLink, generateLink } from './generate-link.ts'
import { unlinkIdentity } from './identity-unlink.ts'
import { Invite, invite } from './invite.ts'
import { logout } from './logout.ts'
import { MagicLink, magicLink } from './magic-link.ts'
import { oauthServerRoutes } from './oauth-server/routes.ts'
import { Otp, otp } from './otp.ts'
import { passkeyRoutes } from './passkeys/routes.ts'
import { reauthenticate } from './reauthenticate.ts'
import { Recover, recover } from './recover.ts'
import { Resend, resend } from './resend.ts'
import { type Route, route } from './route.ts'
import { health, settings } from './settings.ts'
import { Signup, signup } from './signup.ts'
import { ssoRoutes } from './sso/routes.ts'
import { token } from './token.ts'
import { unavailable } from './unavailable.ts'
import { getOwnUser } from './user-get.ts'
import { UserUpdate, updateOwnUser } from './user-update.ts'
import { verifyPost } from './verify.ts'
import { verifyLink } from './verify-link.ts'

const withoutLinking = (config: AuthConfig): Refusal | null => (config.enable_manual_linking ? null : 'linkingDisabled')
const withoutMail = (config: AuthConfig): Refusal | null => (config.email.enable_signup ? null : 'emailLoginRefused')
const always = (refusal: Refusal) => () => refusal

/** Method, path, who may call, what the body must be, what answers.
 *  @see supabase/auth internal/api/api.go */
// biome-ignore format: a table
export const authRoutes: readonly Route[] = [
  route('GET',    '/health',                             'anyone', null,         health),
  route('GET',    '/settings',                           'anyone', null,         settings),
  route('GET',    '/.well-known/jwks.json',              'anyone', null,         jwks),
  route('GET',    '/.well-known/openid-configuration',   'anyone', null,         openidConfiguration),

  route('POST',   '/signup',                             'anyone', Signup,       signup,        { captcha: true }),
  route('POST',   '/token',                              'anyone', null,         token),
  route('POST',   '/otp',                                'anyone', Otp,          otp,           { limit: 'otp', captcha: true }),
  route('POST',   '/magiclink',                          'anyone', MagicLink,    magicLink,     { limit: 'magiclink', captcha: true }),
  route('GET',    '/verify',                             'anyone', null,         verifyLink,    { limit: 'verify' }),
  route('POST',   '/verify',                             'anyone', null,         verifyPost,    { limit: 'verify' }),
  route('POST',   '/recover',                            'anyone', Recover,      recover,       { limit: 'recover', captcha: true, unless: withoutMail }),
  route('POST',   '/resend',                             'anyone', Resend,       resend,        { limit: 'resend', captcha: true }),

  route('GET',    '/user',                               'user',   null,         getOwnUser),
  route('PUT',    '/user',                               'user',   UserUpdate,   updateOwnUser, { limit: 'user' }),
  route('GET',    '/reauthenticate',                     'user',   null,         reauthenticate),
  // As openapi.yaml has it.
  route('POST',   '/reauthenticate',                     'user',   null,         reauthenticate),
  route('POST',   '/logout',                             'user',   null,         logout),
  route('GET',    '/user/identities/authorize',          'user',   null,         authorizeLink, { unless: withoutLinking }),
  route('DELETE', '/user/identities/{identity_id}',      'user',   null,         unlinkIdentity, { unless: withoutLinking }),

  route('POST',   '/factors',                            'member', EnrollFactor, enrollFactor),
  route('DELETE', '/factors/{factor_id}',                'member', null,         unenrollFactor),
  route('POST',   '/factors/{factor_id}/challenge',      'member', null,         challengeFactor, { limit: 'factorChallenge' }),
  route('POST',   '/factors/{factor_id}/verify',         'member', VerifyFactor, verifyFactorAnswer, { limit: 'factorVerify' }),

  route('POST',   '/invite',                             'admin',  Invite,       invite),
  route('POST',   '/admin/generate_link',                'admin',  GenerateLink, generateLink),
  route('GET',    '/admin/audit',                        'admin',  null,         listAudit),
  route('GET',    '/admin/users',                        'admin',  null,         listUsers),
  route('POST',   '/admin/users',                        'admin',  AdminUser,    createUser),
  route('GET',    '/admin/users/{user_id}',              'admin',  null,         getUser),
  route('PUT',    '/admin/users/{user_id}',              'admin',  AdminUser,    updateUserAsAdmin),
  route('DELETE', '/admin/users/{user_id}',              'admin',  null,         removeUser),
  route('GET',    '/admin/users/{user_id}/factors',      'admin',  null,         listFactors),
  route('PUT',    '/admin/users/{user_id}/factors/{factor_id}', 'admin', UpdateFactor, updateFactor),
  route('DELETE', '/admin/users/{user_id}/factors/{factor_id}', 'admin', null,   removeFactor),

  route('GET',    '/authorize',                          'anyone', null,         authorize),
  route('GET',    '/callback',                           'anyone', null,         callback),
  route('POST',   '/callback',                           'anyone', null,         callback),

  ...customProviderRoutes,
  ...passkeyRoutes,
  ...oauthServerRoutes,
  ...ssoRoutes,

  // Not there yet: refuses as upstream does while the feature is off.
  ...off('scimDisabled', [['GET', '/scim/v2/ServiceProviderConfig'], ['GET', '/scim/v2/ResourceTypes'], ['GET', '/scim/v2/Schemas']]),
]

type Endpoint = readonly [method: Route['method'], path: string]

function off(refusal: Refusal, endpoints: readonly Endpoint[]): Route[] {
  return endpoints.map(([method, path]) =>
    route(method, path, 'anyone', null, unavailable(refusal), { unless: always(refusal) }),
  )
}
