import { ServiceError } from '../../kernel/service-error.ts'
import type { AuthDeps } from '../deps.ts'
import { authError, OAuthError } from '../errors.ts'
import type { Call } from './call.ts'

const DENIED = new Set(['signup_disabled', 'user_banned', 'provider_email_needs_verification'])

const KINDS: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized_client',
  403: 'access_denied',
  500: 'server_error',
  503: 'temporarily_unavailable',
}

/** Returns the fields of an error in a redirect's URL. */
export function errorFields(deps: AuthDeps, { requestId }: Call, thrown: unknown): Record<string, string> {
  const error = thrown instanceof ServiceError ? thrown : authError('unexpected', [], { cause: thrown })
  if (error.status >= 500) deps.log.error(`auth: ${error.message}`, error.cause ?? error, { requestId })
  if (error instanceof OAuthError) return { error: error.code, error_description: error.message }
  const kind = DENIED.has(error.code) ? 'access_denied' : (KINDS[error.status] ?? 'server_error')
  return { error: kind, error_code: error.code, error_description: error.message }
}
