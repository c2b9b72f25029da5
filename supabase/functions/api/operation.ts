import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { z } from 'zod'
import { Id } from '../_shared/api/objects.ts'
import type { Scope } from '../_shared/facts.ts'
import { sha256 } from '../_shared/sha256.ts'
import { type Env, requireScope } from './authentication.ts'
import { asKey, type Sql } from './database.ts'
import { Problem, type ProblemCode, ProblemDetails } from './problem.ts'

export type Api = OpenAPIHono<Env>

/** Requires a scope: documents it and checks it. */
export const needs = (scope: Scope) => ({ security: [{ key: [scope] }], middleware: requireScope(scope) })

export const json = <Schema extends z.ZodType>(schema: Schema, description: string) => ({
  description,
  content: { 'application/json': { schema } },
})

export const jsonBody = <Schema extends z.ZodType>(schema: Schema) => ({
  required: true as const,
  content: { 'application/json': { schema } },
})

/** Documented errors: what each status means, with an example. */
const REFUSALS: Readonly<Record<number, readonly [description: string, code: ProblemCode, detail: string]>> = {
  400: [
    "The request doesn't have the described form; `errors` says where.",
    'invalid_request',
    'The request does not have the form that the description of the API gives.',
  ],
  401: [
    'The key is missing or not valid.',
    'revoked_key',
    'This key was revoked. Ask an owner of the library for another.',
  ],
  403: [
    'The key lacks the scope, or its owner the permission.',
    'missing_scope',
    'This needs a key with the scope documents:write; yours has documents:read.',
  ],
  404: [
    "It isn't in this library, or the key can't see it.",
    'not_found',
    'There is no such document in this library, or the key may not see it.',
  ],
  409: ['It already exists.', 'conflict', 'There is one of these already.'],
  413: ['The body is too large.', 'too_large', 'The body of the request is larger than 1.5 MB.'],
  415: ['The body has the wrong media type.', 'unsupported_media_type', 'Send the body as application/json.'],
  422: [
    'The request is valid, but the library refuses it; `detail` says why.',
    'not_accepted',
    'It refers to something that is not in this library.',
  ],
  429: [
    'The key has made too many requests; `Retry-After` says how many seconds to wait.',
    'too_many_requests',
    'A key makes 300 requests a minute. Wait 12 seconds.',
  ],
  503: [
    'The database is busy; `Retry-After` says how many seconds to wait.',
    'try_again',
    'The database does not answer in time. Send the request again in a moment.',
  ],
}

export function describeRefusals({ openAPIRegistry }: Api): void {
  openAPIRegistry.register('Problem', ProblemDetails)
  for (const [status, [description, code, detail]] of Object.entries(REFUSALS))
    openAPIRegistry.registerComponent('responses', `Refusal${status}`, {
      description,
      content: {
        'application/problem+json': {
          schema: { $ref: '#/components/schemas/Problem' },
          example: new Problem(code, detail).details,
        },
      },
    })
}

const refusal = (status: number) => ({ $ref: `#/components/responses/Refusal${status}` })

export const READ_REFUSALS = {
  400: refusal(400),
  401: refusal(401),
  403: refusal(403),
  404: refusal(404),
  429: refusal(429),
  503: refusal(503),
}
export const WRITE_REFUSALS = {
  ...READ_REFUSALS,
  409: refusal(409),
  413: refusal(413),
  415: refusal(415),
  422: refusal(422),
}

export const IdParameter = z.object({ id: Id })

/** Lets a client retry safely: a repeated key creates nothing and returns the first response. */
export const IdempotencyHeader = z.object({
  'idempotency-key': z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/, 'An idempotency key has 1 to 255 visible ASCII characters.')
    .optional()
    .meta({
      description:
        'A name you choose for this request, such as a UUID. For a day, repeating the request with the same name returns the first response again.',
      example: '7d8f0a52-9a0f-4f0e-8e6b-0d3ad21b9d1f',
    }),
})

/** Runs a read-only transaction with the rights of the request's key. */
export const read = <Result>(c: Context<Env>, work: (sql: Sql) => Promise<Result>): Promise<Result> =>
  asKey(c.get('key').id, 'read only', work)

/** Runs a transaction with the rights of the request's key. */
export const write = <Result>(c: Context<Env>, work: (sql: Sql) => Promise<Result>): Promise<Result> =>
  asKey(c.get('key').id, 'read write', work)

/** Creates something once per idempotency key. @param content Must be identical for a repeated request. */
export async function create<Created>(
  c: Context<Env>,
  content: unknown,
  schema: z.ZodType<Created>,
  work: (sql: Sql) => Promise<Created>,
): Promise<Created> {
  const name = c.req.header('Idempotency-Key')
  if (name === undefined) return write(c, work)
  const hash = sha256(JSON.stringify([c.req.method, c.req.path, content]))
  return write(c, async (sql) => {
    const [earlier] = await sql<{ body: unknown; is_same: boolean }[]>`
      select body, is_same from private.earlier_api_reply(${name}, ${hash})`
    if (earlier && !earlier.is_same)
      throw new Problem(
        'reused_idempotency_key',
        'This Idempotency-Key stood for another request. Choose a new one for each request.',
      )
    if (earlier) {
      c.header('Idempotency-Replayed', 'true')
      return schema.parse(earlier.body)
    }
    const created = await work(sql)
    await sql`select private.store_api_reply(${name}, 201, ${JSON.stringify(created)}::text::jsonb)`
    return created
  })
}

/** @throws {Problem} if nothing was found. */
export function found<Row>(row: Row | undefined, what: string): Row {
  if (row === undefined)
    throw new Problem('not_found', `There is no such ${what} in this library, or the key may not see it.`)
  return row
}
