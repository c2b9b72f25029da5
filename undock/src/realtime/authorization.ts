import type { Db } from '../database/db.ts'
import type { Claims, Log } from '../kernel/service.ts'
import { sql } from '../kernel/sql.ts'
import { ChannelError } from './errors.ts'

type Extension = 'broadcast' | 'presence'
type Access = 'read' | 'write'

/** What the policies on realtime.messages allow on a topic; null until evaluated. */
export type Permission = { readonly read: boolean | null; readonly write: boolean | null }
export type Policies = { readonly [extension in Extension]: Permission }

/** Public channels have no policies. */
export const ALLOW_ALL: Policies = { broadcast: { read: true, write: true }, presence: { read: true, write: true } }
export const UNCHECKED: Policies = { broadcast: { read: null, write: null }, presence: { read: null, write: null } }

type ClaimsAndHeaders = { readonly claims: Claims; readonly headers: Readonly<Record<string, string>> }

type PolicyQuestion = {
  readonly topic: string
  readonly caller: ClaimsAndHeaders
  readonly policies: Policies
}

export type Authorization = {
  /** Evaluates the policies for `extensions` and returns `policies` with the answers added.
   *  @throws {ChannelError} Unauthorized if a policy fails with an error, MissingPartition if today's partition is
   *  missing. */
  ask(access: Access, extensions: readonly Extension[], question: PolicyQuestion): Promise<Policies>
}

const AS_AUTHENTICATOR = { session_authorization: 'authenticator' }

const CHECK_VIOLATION = '23514'

/** Evaluates row security by trial reads and inserts on realtime.messages, then rolls back.
 *  @see Realtime.Tenants.Authorization */
export function createAuthorization(db: Db, log: Log): Authorization {
  return {
    async ask(access, extensions, { topic, caller: { claims, headers }, policies }) {
      const query = sql`select _realtime.allowed(
        ${access}, ${[...extensions]}::text[], ${topic}, ${claims.role}, ${JSON.stringify(claims)}, ${JSON.stringify(headers)}
      ) as extensions`
      const [answer] = await db
        .run({ requiredRole: claims.role, settings: AS_AUTHENTICATOR, statements: [query] })
        .catch((error) => {
          throw refusal(error, topic, log)
        })
      const allowed = new Set(answer?.rows[0]?.extensions as string[])
      const answered = { ...policies }
      for (const extension of extensions)
        answered[extension] = { ...answered[extension], [access]: allowed.has(extension) }
      return answered
    },
  }
}

function refusal(error: unknown, topic: string, log: Log): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (typeof code !== 'string' || !/^[0-9A-Z]{5}$/.test(code))
    return new ChannelError('UnableToConnectToProject', undefined, { cause: error })
  if (code === CHECK_VIOLATION) return new ChannelError('MissingPartition', undefined, { cause: error })
  log.error('RlsPolicyError', error)
  return unauthorized(topic, error)
}

export const unauthorized = (topic: string, cause?: unknown) =>
  new ChannelError('Unauthorized', `You do not have permissions to read from this Channel topic: ${topic}`, { cause })
