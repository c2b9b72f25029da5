import type { AuthConfig } from '../deps.ts'
import type { AuthErrorName } from '../errors.ts'
import { type Route, route } from '../http/router.ts'
import { PasskeyAnswer } from './challenges.ts'
import {
  deleteOwnPasskey,
  deletePasskeyAsAdmin,
  listOwnPasskeys,
  listPasskeysAsAdmin,
  PasskeyName,
  updatePasskey,
} from './manage.ts'
import { registrationOptions, verifyRegistration } from './register.ts'
import { authenticationOptions, verifyAuthentication } from './sign-in.ts'

const unless = ({ passkey }: AuthConfig): AuthErrorName | null => (passkey?.enabled ? null : 'passkeysDisabled')

// biome-ignore format: a table
export const passkeyRoutes: readonly Route[] = [
  route('POST',   '/passkeys/authentication/options', 'anyone', null,          authenticationOptions, { unless, limit: 'passkey' }),
  route('POST',   '/passkeys/authentication/verify',  'anyone', PasskeyAnswer, verifyAuthentication,  { unless }),
  route('POST',   '/passkeys/registration/options',   'member', null,          registrationOptions,   { unless }),
  route('POST',   '/passkeys/registration/verify',    'member', PasskeyAnswer, verifyRegistration,    { unless }),
  route('GET',    '/passkeys',                        'user',   null,          listOwnPasskeys,       { unless }),
  route('PATCH',  '/passkeys/{passkey_id}',           'user',   PasskeyName,   updatePasskey,         { unless }),
  route('DELETE', '/passkeys/{passkey_id}',           'user',   null,          deleteOwnPasskey,      { unless }),
  // Administrators can list and delete passkeys even when passkeys are disabled.
  route('GET',    '/admin/users/{user_id}/passkeys',  'service', null,          listPasskeysAsAdmin),
  route('DELETE', '/admin/users/{user_id}/passkeys/{passkey_id}', 'service', null, deletePasskeyAsAdmin),
]
