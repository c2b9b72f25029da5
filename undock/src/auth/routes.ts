import type { AuthConfig } from './deps.ts'
import { listAudit } from './endpoints/admin-audit.ts'
import { listFactors, removeFactor, UpdateFactor, updateFactor } from './endpoints/admin-factors.ts'
import { AdminUser } from './endpoints/admin-user-params.ts'
import { createUser, getUser, listUsers, removeUser, updateUserAsAdmin } from './endpoints/admin-users.ts'
import { GenerateLink, generateLink, Invite, invite } from './endpoints/generate-link.ts'
import { MagicLink, magicLink, Recover, recover } from './endpoints/magic-link.ts'
import { Otp, otp } from './endpoints/otp.ts'
import { Resend, resend } from './endpoints/resend.ts'
import { health, settings } from './endpoints/settings.ts'
import { signup } from './endpoints/signup.ts'
import { token } from './endpoints/token.ts'
import { unlinkIdentity } from './endpoints/unlink-identity.ts'
import { getOwnUser, logout, reauthenticate, UserUpdate, updateOwnUser } from './endpoints/user.ts'
import { verifyLink, verifyPost } from './endpoints/verify.ts'
import { type AuthErrorName, authError } from './errors.ts'
import { Signup } from './flows/registration.ts'
import { type Route, route } from './http/router.ts'
import { EnrollFactor, enrollFactor, unenrollFactor } from './mfa/enroll.ts'
import {
  deleteRecoveryCodes,
  generateRecoveryCodes,
  recoveryCodesStatus,
  regenerateRecoveryCodes,
  VerifyRecoveryCode,
  verifyRecoveryCode,
} from './mfa/recovery-codes.ts'
import { challengeFactor, VerifyFactor, verifyFactorAnswer } from './mfa/verify.ts'
import { jwks, openidConfiguration } from './oauth-server/discovery.ts'
import { oauthServerRoutes } from './oauth-server/routes.ts'
import { PasskeyAnswer } from './passkeys/challenges.ts'
import {
  deleteOwnPasskey,
  deletePasskeyAsAdmin,
  listOwnPasskeys,
  listPasskeysAsAdmin,
  PasskeyName,
  registrationOptions,
  updatePasskey,
  verifyRegistration,
} from './passkeys/register.ts'
import { authenticationOptions, verifyAuthentication } from './passkeys/sign-in.ts'
import { createProvider, deleteProvider, getProvider, listProviders, updateProvider } from './providers/custom/admin.ts'
import { CustomProviderBody } from './providers/custom/params.ts'
import { authorize, authorizeLink } from './providers/external/authorize.ts'
import { callback } from './providers/external/callback.ts'
import { ssoRoutes } from './providers/sso/routes.ts'

// biome-ignore format: a table
const customProviderRoutes: readonly Route[] = [
  route('GET',    '/admin/custom-providers',              'service', null,               listProviders),
  route('POST',   '/admin/custom-providers',              'service', CustomProviderBody, createProvider),
  route('GET',    '/admin/custom-providers/{identifier}', 'service', null,               getProvider),
  route('PUT',    '/admin/custom-providers/{identifier}', 'service', CustomProviderBody, updateProvider),
  route('DELETE', '/admin/custom-providers/{identifier}', 'service', null,               deleteProvider),
]

const unless = ({ passkey }: AuthConfig): AuthErrorName | null => (passkey?.enabled ? null : 'passkeysDisabled')

// biome-ignore format: a table
const passkeyRoutes: readonly Route[] = [
  route('POST',   '/passkeys/authentication/options', 'anyone', null,          authenticationOptions, { unless, limit: 'passkey' }),
  route('POST',   '/passkeys/authentication/verify',  'anyone', PasskeyAnswer, verifyAuthentication,  { unless }),
  route('POST',   '/passkeys/registration/options',   'member', null,          registrationOptions,   { unless }),
  route('POST',   '/passkeys/registration/verify',    'member', PasskeyAnswer, verifyRegistration,    { unless }),
  route('GET',    '/passkeys',                        'user',   null,          listOwnPasskeys,       { unless }),
  route('PATCH',  '/passkeys/{passkey_id}',           'user',   PasskeyName,   updatePasskey,         { unless }),
  route('DELETE', '/passkeys/{passkey_id}',           'user',   null,          deleteOwnPasskey,      { unless }),
  // Admins can list and delete passkeys even while passkeys are disabled.
  route('GET',    '/admin/users/{user_id}/passkeys',  'service', null,          listPasskeysAsAdmin),
  route('DELETE', '/admin/users/{user_id}/passkeys/{passkey_id}', 'service', null, deletePasskeyAsAdmin),
]

const withoutLinking = (config: AuthConfig): AuthErrorName | null =>
  config.enable_manual_linking ? null : 'linkingDisabled'
const withoutMail = (config: AuthConfig): AuthErrorName | null => (config.email.enabled ? null : 'emailLoginRefused')
const always = (refusal: AuthErrorName) => () => refusal

/** Method, path, access, body schema, handler. @see supabase/auth internal/api/api.go */
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

  route('GET',    '/user',                               'bearer', null,         getOwnUser),
  route('PUT',    '/user',                               'user',   UserUpdate,   updateOwnUser, { limit: 'user' }),
  route('GET',    '/reauthenticate',                     'user',   null,         reauthenticate),
  route('POST',   '/reauthenticate',                     'user',   null,         reauthenticate),
  route('POST',   '/logout',                             'bearer', null,         logout),
  route('GET',    '/user/identities/authorize',          'user',   null,         authorizeLink, { unless: withoutLinking }),
  route('DELETE', '/user/identities/{identity_id}',      'user',   null,         unlinkIdentity, { unless: withoutLinking }),

  route('POST',   '/factors',                            'member', EnrollFactor, enrollFactor),
  route('GET',    '/factors/recovery-codes',             'member', null,         recoveryCodesStatus),
  route('POST',   '/factors/recovery-codes',             'member', null,         generateRecoveryCodes),
  route('DELETE', '/factors/recovery-codes',             'member', null,         deleteRecoveryCodes),
  route('POST',   '/factors/recovery-codes/verify',      'member', VerifyRecoveryCode, verifyRecoveryCode, { limit: 'factorVerify' }),
  route('POST',   '/factors/recovery-codes/regenerate',  'member', null,         regenerateRecoveryCodes),
  route('DELETE', '/factors/{factor_id}',                'member', null,         unenrollFactor),
  route('POST',   '/factors/{factor_id}/challenge',      'member', null,         challengeFactor, { limit: 'factorChallenge' }),
  route('POST',   '/factors/{factor_id}/verify',         'member', VerifyFactor, verifyFactorAnswer, { limit: 'factorVerify' }),

  route('POST',   '/invite',                             'service', Invite,       invite),
  route('POST',   '/admin/generate_link',                'service', GenerateLink, generateLink),
  route('GET',    '/admin/audit',                        'service', null,         listAudit),
  route('GET',    '/admin/users',                        'service', null,         listUsers),
  route('POST',   '/admin/users',                        'service', AdminUser,    createUser),
  route('GET',    '/admin/users/{user_id}',              'service', null,         getUser),
  route('PUT',    '/admin/users/{user_id}',              'service', AdminUser,    updateUserAsAdmin),
  route('DELETE', '/admin/users/{user_id}',              'service', null,         removeUser),
  route('GET',    '/admin/users/{user_id}/factors',      'service', null,         listFactors),
  route('PUT',    '/admin/users/{user_id}/factors/{factor_id}', 'service', UpdateFactor, updateFactor),
  route('DELETE', '/admin/users/{user_id}/factors/{factor_id}', 'service', null,   removeFactor),

  route('GET',    '/authorize',                          'anyone', null,         authorize),
  route('GET',    '/callback',                           'anyone', null,         callback),
  route('POST',   '/callback',                           'anyone', null,         callback),

  ...customProviderRoutes,
  ...passkeyRoutes,
  ...oauthServerRoutes,
  ...ssoRoutes,

  // Not implemented: answers like upstream with the feature disabled.
  ...off('scimDisabled', [['GET', '/scim/v2/ServiceProviderConfig'], ['GET', '/scim/v2/ResourceTypes'], ['GET', '/scim/v2/Schemas']]),
]

type Endpoint = readonly [method: Route['method'], path: string]

function off(refusal: AuthErrorName, endpoints: readonly Endpoint[]): Route[] {
  const refuse = async (): Promise<never> => {
    throw authError(refusal)
  }
  return endpoints.map(([method, path]) => route(method, path, 'anyone', null, refuse, { unless: always(refusal) }))
}
