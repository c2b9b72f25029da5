import type { DatabaseError } from 'pg-protocol'
import { tryJson } from '../../kernel/json.ts'
import { ServiceError } from '../../kernel/service-error.ts'
import { restError } from '../errors.ts'
import { GUARD_CODES } from '../sql/statement.ts'

type Caller = { readonly isAuthenticated: boolean }

/** Converts a database error to a response with Postgres' own code, message, detail and hint. Missing privileges are
 *  401 for anonymous callers, who may sign in, and 403 for others. */
export function fromPostgres(error: DatabaseError, caller: Caller): ServiceError {
  const { code = '' } = error
  const guard = fromGuard(error)
  if (guard) return guard
  if (code === 'PGRST') return fromRaisedResponse(error)
  const status = statusOf(error, caller)
  return new DatabaseServiceError(code, status, error.message, {
    details: error.detail ?? null,
    hint: error.hint ?? null,
    headers: status === 401 ? { 'www-authenticate': 'Bearer' } : {},
    cause: error,
    // `raise sqlstate 'PT402'` chooses the status, and its message is the reason phrase.
    reasonPhrase: code.startsWith('PT') ? error.message : null,
  })
}

/** Recognizes errors raised by a guard in sql/statement.ts. */
function fromGuard({ code, message }: DatabaseError): ServiceError | null {
  const match = code === '22P02' ? /"undock:(PGRST\d{3}):(\d+)"/.exec(message) : null
  const rows = match?.[2] ?? ''
  switch (match?.[1]) {
    case GUARD_CODES.single:
      return notSingleRow(rows)
    case GUARD_CODES.matchesKey:
      return restError('PGRST115', [])
    case GUARD_CODES.maxAffected:
      return restError('PGRST124', [], { details: `The query affects ${rows} rows` })
    default:
      return null
  }
}

export const notSingleRow = (rows: number | string): ServiceError =>
  restError('PGRST116', [], { details: `The result contains ${rows} rows` })

const EXACT: Readonly<Record<string, number>> = {
  '23503': 409,
  '23505': 409,
  '25006': 405,
  '53400': 500,
  '57014': 500,
  '57P01': 503,
  '57P02': 503,
  '57P03': 503,
  P0001: 400,
  '42P01': 404,
  '42P17': 500,
}

const CLASSES: Readonly<Record<string, number>> = {
  '08': 503,
  '09': 500,
  '0L': 403,
  '0P': 403,
  '25': 500,
  '28': 403,
  '2D': 500,
  '38': 500,
  '39': 500,
  '3B': 500,
  '40': 500,
  '53': 503,
  '54': 500,
  '55': 500,
  '57': 500,
  '58': 500,
  F0: 500,
  HV: 500,
  P0: 500,
  XX: 500,
}

function statusOf({ code = '', message }: DatabaseError, { isAuthenticated }: Caller): number {
  switch (code) {
    case '21000':
      return message.endsWith('requires a WHERE clause') ? 400 : 500
    case '22023':
      return message.startsWith('role') && message.endsWith('does not exist') ? 401 : 400
    case '42501':
      return isAuthenticated ? 403 : 401
    case '42883':
      return message.startsWith('function xmlagg(') ? 406 : 404
  }
  if (code.startsWith('PT')) return httpStatus(code.slice(2))
  return EXACT[code] ?? CLASSES[code.slice(0, 2)] ?? 400
}

const httpStatus = (text: string): number => {
  const status = /^\d{3}$/.test(text) ? Number(text) : 500
  return status >= 200 && status <= 599 ? status : 500
}

/** `raise sqlstate 'PGRST'`: the function describes the whole response in JSON. */
function fromRaisedResponse({ message, detail }: DatabaseError): ServiceError {
  const body = parseObject(message)
  if (typeof body?.code !== 'string' || typeof body.message !== 'string') {
    return invalidRaise(
      `Invalid JSON value for MESSAGE: '${message}'`,
      "MESSAGE must be a JSON object with obligatory keys: 'code', 'message' and optional keys: 'details', 'hint'.",
    )
  }
  const hint = "DETAIL must be a JSON object with obligatory keys: 'status', 'headers' and optional key: 'status_text'."
  if (detail === undefined) return invalidRaise('DETAIL is missing in the RAISE statement', hint)
  const response = parseObject(detail)
  const headers = response?.headers
  if (typeof response?.status !== 'number' || !isTextMap(headers)) {
    return invalidRaise(`Invalid JSON value for DETAIL: '${detail}'`, hint)
  }
  return new DatabaseServiceError(body.code, httpStatus(String(response.status)), body.message, {
    details: body.details ?? null,
    hint: typeof body.hint === 'string' ? body.hint : null,
    headers: { ...headers },
    reasonPhrase: typeof response.status_text === 'string' ? response.status_text : null,
  })
}

/** A database error whose response may have a custom reason phrase. */
export class DatabaseServiceError extends ServiceError {
  readonly reasonPhrase: string | null
  constructor(
    code: string,
    status: number,
    message: string,
    { reasonPhrase, ...options }: ConstructorParameters<typeof ServiceError>[3] & { reasonPhrase: string | null },
  ) {
    super(code, status, message, options)
    // A reason phrase is one line of printable ASCII (RFC 9112 §4).
    this.reasonPhrase = reasonPhrase !== null && /^[ -~]*$/.test(reasonPhrase) ? reasonPhrase : null
  }
}

const invalidRaise = (details: string, hint: string): ServiceError => restError('PGRST121', [], { details, hint })

function parseObject(text: string): Record<string, unknown> | null {
  const value = tryJson(text)
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
}

const isTextMap = (value: unknown): value is Record<string, string> =>
  typeof value === 'object' && value !== null && Object.values(value).every((one) => typeof one === 'string')
