import { ServiceError, type ServiceErrorOptions } from '../kernel/service-error.ts'
import { AUTH_ERRORS } from './error-catalogue.ts'

export type AuthErrorName = keyof typeof AUTH_ERRORS

/** Returns an error of the catalogue; `values` fill the `%s` of its text in order. */
export function authError(
  refusal: AuthErrorName,
  values: readonly (string | number)[] = [],
  options?: ServiceErrorOptions,
) {
  const [status, code, text] = AUTH_ERRORS[refusal]
  const rest = [...values]
  return new ServiceError(
    code,
    status,
    text.replaceAll('%s', () => String(rest.shift() ?? '')),
    options,
  )
}

/** An error in OAuth 2's form (RFC 6749 §5.2), rendered as `{ error, error_description }`. */
export class OAuthError extends ServiceError {
  override readonly name = 'OAuthError'
}

/** @param error An OAuth code, such as `invalid_grant`. */
export const oauthError = (error: string, description: string, options?: ServiceErrorOptions): OAuthError =>
  new OAuthError(error, 400, description, options)

/** Returns a hook's refusal: its own status and text, without a code of the catalogue. */
export function hookError(status: number, message: string): ServiceError {
  return new ServiceError(status === 500 ? 'unexpected_failure' : 'unknown', status, message)
}
