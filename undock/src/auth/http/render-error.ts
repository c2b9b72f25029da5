import { DatabaseError } from 'pg-protocol'
import { isClientAbort } from '../../kernel/node-http.ts'
import type { Log } from '../../kernel/service.ts'
import { ServiceError } from '../../kernel/service-error.ts'
import type { AuthDeps } from '../deps.ts'
import { authError, OAuthError } from '../errors.ts'
import type { Call } from './call.ts'

const DENIED = new Set(['signup_disabled', 'user_banned', 'provider_email_needs_verification'])

/** OAuth's names of statuses, for redirects. */
export const OAUTH_ERRORS: Readonly<Record<number, string>> = {
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
  const kind = DENIED.has(error.code) ? 'access_denied' : (OAUTH_ERRORS[error.status] ?? 'server_error')
  return { error: kind, error_code: error.code, error_description: error.message }
}

const VERSION_HEADER = 'x-supabase-api-version'
const VERSION_2024 = '2024-01-01'

/** Renders an error in the shape of the client's API version: `{code, message}` since 2024-01-01, `{code, error_code,
 *  msg}` before. Any other thrown value becomes a 500 without its text.
 *  @see supabase/auth internal/api/errors.go, apiversions.go */
export function renderError(thrown: unknown, request: Request, requestId: string, log: Log): Response {
  const modern = asksForModernErrors(request.headers.get(VERSION_HEADER))
  const headers = new Headers({ 'content-type': 'application/json' })
  if (modern) headers.set(VERSION_HEADER, VERSION_2024)
  const cause = thrown instanceof ServiceError ? thrown.cause : thrown
  const isRefusal = thrown instanceof ServiceError && thrown.status < 500
  if (!modern && !isRefusal && cause instanceof DatabaseError) {
    const raised = raisedByDatabase(cause)
    if (raised) return new Response(JSON.stringify(raised.body), { status: raised.status, headers })
  }
  const error =
    databaseOutage(cause) ?? (thrown instanceof ServiceError ? thrown : authError('unexpected', [], { cause: thrown }))
  if (error.status >= 500 && !isClientAbort(cause)) log.error(`auth: ${error.message}`, cause ?? error, { requestId })
  for (const [name, value] of Object.entries(error.headers)) headers.set(name, value)
  if (error instanceof OAuthError) {
    const body = { error: error.code, error_description: error.message }
    return new Response(JSON.stringify(body), { status: error.status, headers })
  }
  headers.set('x-sb-error-code', error.code)
  const weak = error.code === 'weak_password' ? { weak_password: error.details } : {}
  const body = modern
    ? { code: error.code, message: error.message, ...weak }
    : {
        code: error.status,
        error_code: error.code,
        msg: error.message,
        ...(error.status >= 500 ? { error_id: requestId } : {}),
        ...weak,
      }
  return new Response(JSON.stringify(body), { status: error.status, headers })
}

function databaseOutage(cause: unknown): ServiceError | null {
  if (!(cause instanceof DatabaseError)) return null
  if (cause.code === '53100') return authError('databaseFull', [], { cause })
  return /^57P0[123]$/.test(cause.code ?? '') ? authError('databaseUnavailable', [], { cause }) : null
}

function asksForModernErrors(version: string | null): boolean {
  return version !== null && /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= VERSION_2024
}

const CONSTRAINT_OR_RAISED = new Set(['P0001', '23000', '23001', '23502', '23503', '23505', '23514', '23P01'])

/** Errors of a project's own trigger or constraint on `auth.users` are meant for the client.
 *  @see supabase/auth internal/utilities/postgres.go */
function raisedByDatabase(error: DatabaseError) {
  const code = error.code ?? ''
  const custom = /^PT([45]\d\d)$/.exec(code)
  if (!custom && !CONSTRAINT_OR_RAISED.has(code)) return null
  return {
    status: custom ? Number(custom[1]) : 500,
    body: {
      code,
      message: error.message,
      ...(error.hint ? { hint: error.hint } : {}),
      ...(error.detail ? { detail: error.detail } : {}),
    },
  }
}
