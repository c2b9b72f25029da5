import { z } from 'zod'
import { refusedBy } from '../_shared/errors.ts'

/** An error response (RFC 9457): `code` for programs, `detail` for people. */
export const ProblemDetails = z
  .object({
    type: z.string().meta({ example: 'urn:carrel:problem:not_found' }),
    title: z.string().meta({ example: 'Not found' }),
    status: z.number().int().meta({ example: 404 }),
    code: z.string().meta({ example: 'not_found' }),
    detail: z.string().meta({ example: 'There is no such document in this library, or the key may not see it.' }),
    reason: z.string().optional().meta({ description: "The code of the library's rule that refused it, if one did." }),
    parameters: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'The values that `detail` mentions, by name.' }),
    errors: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .meta({ description: 'The invalid parts of a request.' }),
  })
  .meta({ id: 'Problem' })
export type ProblemDetails = z.infer<typeof ProblemDetails>

const KINDS = {
  invalid_request: [400, 'Invalid request'],
  invalid_cursor: [400, 'Invalid cursor'],
  key_in_address: [400, 'Key in the address'],
  no_key: [401, 'No key'],
  invalid_key: [401, 'Invalid key'],
  revoked_key: [401, 'Revoked key'],
  expired_key: [401, 'Expired key'],
  owner_not_a_member: [403, 'The owner of the key is not a member'],
  second_factor_required: [403, 'Second factor required'],
  missing_scope: [403, 'Missing scope'],
  not_allowed: [403, 'Not allowed'],
  not_found: [404, 'Not found'],
  conflict: [409, 'Conflict'],
  too_large: [413, 'Too large'],
  unsupported_media_type: [415, 'Unsupported media type'],
  not_accepted: [422, 'Not accepted'],
  reused_idempotency_key: [422, 'Reused idempotency key'],
  too_many_requests: [429, 'Too many requests'],
  internal_error: [500, 'Internal error'],
  try_again: [503, 'Try again'],
} as const satisfies Record<string, readonly [number, string]>
export type ProblemCode = keyof typeof KINDS

type Reason = Pick<ProblemDetails, 'reason' | 'parameters'> | undefined

export class Problem extends Error {
  readonly code: ProblemCode
  readonly reason: Reason
  readonly errors: ProblemDetails['errors']
  readonly headers: Readonly<Record<string, string>>

  /** @param detail What is wrong and how to fix it. */
  constructor(
    code: ProblemCode,
    detail: string,
    more: Partial<Pick<Problem, 'errors' | 'headers' | 'reason'>> & { cause?: unknown } = {},
  ) {
    super(detail, { cause: more.cause })
    this.code = code
    this.reason = more.reason
    this.errors = more.errors
    this.headers = more.headers ?? {}
  }

  get details(): ProblemDetails {
    const [status, title] = KINDS[this.code]
    const { code, message: detail, reason, errors } = this
    const type = `urn:carrel:problem:${code}`
    return { type, title, status, code, detail, ...reason, ...(errors ? { errors } : {}) }
  }

  toResponse(): Response {
    const { details, headers } = this
    return Response.json(details, {
      status: details.status,
      headers: { 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store', ...headers },
    })
  }
}

const DatabaseError = z.object({
  code: z.string(),
  message: z.string(),
  hint: z.string().optional(),
  detail: z.string().optional(),
})

const BUSY = 'The database does not answer in time. Send the request again in a moment.'
const UNREACHABLE = /^(?:CONNECT|CONNECTION_|ECONN|ETIMEDOUT|08|53|57P0)/

/** Converts any error to a Problem. Unexpected ones become `internal_error`, with the error as cause. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  const parsed = DatabaseError.safeParse(error)
  if (!parsed.success) return unforeseen(error)
  const { code, message, hint, detail } = parsed.data
  const refused = refusedBy({ message, details: detail, hint })
  const said = refused && [message, hint].filter(Boolean).join(' ')
  const more = refused && {
    reason: { reason: refused.code, ...(refused.parameters ? { parameters: refused.parameters } : {}) },
  }
  if (UNREACHABLE.test(code) || ['57014', '55P03', '40001', '40P01'].includes(code))
    return new Problem('try_again', BUSY, { headers: { 'Retry-After': '1' }, cause: error })
  if (code === 'PT401') return new Problem('revoked_key', said ?? message, more)
  if (code === '42501')
    return new Problem(
      'not_allowed',
      said ?? 'The key can’t do this: its owner can’t either, or the key is for another library.',
      more,
    )
  if (code === '23503')
    return new Problem('not_accepted', said ?? 'It refers to something that is not in this library.', more)
  if (code === '23505') return new Problem('conflict', said ?? 'There is one of these already.', more)
  if (/^(?:22|23|54)/.test(code))
    return new Problem('not_accepted', said ?? 'A value has a form or a length that the library does not take.', more)
  return unforeseen(error)
}

const unforeseen = (error: unknown) =>
  new Problem('internal_error', 'Something went wrong on our side. Send the request again in a moment.', {
    cause: error,
  })
