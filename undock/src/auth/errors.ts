import { ServiceError, type ServiceErrorOptions } from '../kernel/service-error.ts'
import { AUTH_ERRORS } from './error-catalogue.ts'

type AuthErrors = typeof AUTH_ERRORS

/** What fills each `%s` of a text. */
type Values<Text extends string> = Text extends `${string}%s${infer Rest}`
  ? readonly [string | number, ...Values<Rest>]
  : readonly []

type ErrorName = keyof AuthErrors

/** The errors whose texts take no values. */
export type AuthErrorName = {
  [Name in ErrorName]: Values<AuthErrors[Name][2]> extends readonly [] ? Name : never
}[ErrorName]

/** Returns an error of the catalogue; `values` fill the `%s` of its text in order. */
export function authError<Name extends ErrorName>(
  refusal: Name,
  ...[values = [], options]: Name extends AuthErrorName
    ? [values?: readonly [], options?: ServiceErrorOptions]
    : [values: Values<AuthErrors[Name][2]>, options?: ServiceErrorOptions]
): ServiceError {
  const [status, code, text] = AUTH_ERRORS[refusal]
  const rest = [...values]
  return new ServiceError(
    code,
    status,
    text.replaceAll('%s', () => String(rest.shift())),
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
