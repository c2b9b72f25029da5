import { ServiceError, type ServiceErrorOptions } from '../kernel/service-error.ts'
import { adminErrors } from './errors/admin.ts'
import { customProviderErrors } from './errors/custom-providers.ts'
import { externalErrors } from './errors/external.ts'
import { hookErrors } from './errors/hooks.ts'
import { mfaErrors } from './errors/mfa.ts'
import { oauthServerErrors } from './errors/oauth-server.ts'
import { paramErrors } from './errors/params.ts'
import { passkeyErrors } from './errors/passkeys.ts'
import { requestErrors } from './errors/requests.ts'
import { signInErrors } from './errors/sign-in.ts'
import { signUpErrors } from './errors/sign-up.ts'
import { smsErrors } from './errors/sms.ts'
import { ssoErrors } from './errors/sso.ts'
import { userErrors } from './errors/user.ts'
import { verificationErrors } from './errors/verification.ts'
import { web3Errors } from './errors/web3.ts'

/** Every refusal of Auth: status, code and text as clients match on them; `%s` takes an argument.
 *  One code serves many texts upstream, so the keys here are ours.
 *  @see supabase/auth internal/api/apierrors/errorcode.go and the handlers of internal/api */
const CATALOGUE = {
  ...requestErrors,
  ...paramErrors,
  ...signUpErrors,
  ...signInErrors,
  ...verificationErrors,
  ...userErrors,
  ...mfaErrors,
  ...adminErrors,
  ...externalErrors,
  ...customProviderErrors,
  ...hookErrors,
  ...passkeyErrors,
  ...oauthServerErrors,
  ...smsErrors,
  ...ssoErrors,
  ...web3Errors,
} as const satisfies Record<string, readonly [status: number, code: string, message: string]>

export type AuthErrorName = keyof typeof CATALOGUE

/** A refusal of the catalogue; `values` fill the `%s` of its text in order. */
export function authError(
  refusal: AuthErrorName,
  values: readonly (string | number)[] = [],
  options?: ServiceErrorOptions,
) {
  const [status, code, text] = CATALOGUE[refusal]
  const rest = [...values]
  return new ServiceError(
    code,
    status,
    text.replaceAll('%s', () => String(rest.shift() ?? '')),
    options,
  )
}

/** A refusal as OAuth 2 words it (RFC 6749 §5.2): rendered as `{ error, error_description }`. */
export class OAuthError extends ServiceError {
  override readonly name = 'OAuthError'
}

/** @param error A code of OAuth, such as `invalid_grant`. */
export const oauthError = (error: string, description: string, options?: ServiceErrorOptions): OAuthError =>
  new OAuthError(error, 400, description, options)

/** What a hook answered in place of consent: its own status and text, without a code of the catalogue. */
export function hookError(status: number, message: string): ServiceError {
  return new ServiceError(status === 500 ? 'unexpected_failure' : 'unknown', status, message)
}
