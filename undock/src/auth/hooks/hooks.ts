import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { Transaction } from '../../database/db.ts'
import { identifier, sql } from '../../kernel/sql.ts'
import type { AuthConfig, AuthDeps } from '../deps.ts'
import { authError, hookError } from '../errors.ts'
import type { Call } from '../http/call.ts'
import type { AuthDb } from '../models/auth-db.ts'
import { text } from '../models/params.ts'
import type { PresentedUser } from '../models/user.ts'
import { callHttpHook } from './http-hook.ts'

export type HookName = keyof AuthConfig['hook']

const METADATA_NAMES: Record<HookName, string> = {
  before_user_created: 'before-user-created',
  custom_access_token: 'customize-access-token',
  mfa_verification_attempt: 'mfa-verification',
  password_verification_attempt: 'password-verification',
  send_email: 'send-email',
  send_sms: 'send-sms',
}

export function hookEnabled(config: AuthConfig, name: HookName): boolean {
  return config.hook[name]?.enabled === true
}

/** Returns whether a hook is enabled and a Postgres function. */
export function isFunctionHook(config: AuthConfig, name: HookName): boolean {
  return hookEnabled(config, name) && !isEndpoint(config.hook[name]?.uri ?? '')
}

const isEndpoint = (uri: string): boolean => /^https?:/i.test(uri)

export type HookInput = Readonly<Record<string, unknown>>

/** Calls a project's hook: a Postgres function (`pg-functions://<database>/<schema>/<function>`) as Auth's own role, or
 *  an HTTP endpoint with a standard-webhooks signature. Never call an endpoint in a transaction: it would block PGlite.
 *  @returns the hook's answer. @throws the hook's refusal, or `unexpected_failure` if it can't run
 *  @see supabase/auth internal/hooks */
export async function callHook(deps: AuthDeps, call: Call, name: HookName, input: HookInput) {
  const { uri = '', secrets = '' } = deps.config.hook[name] ?? {}
  const metadata = {
    uuid: randomUUID(),
    time: call.now.toISOString(),
    name: METADATA_NAMES[name],
    ip_address: call.client.address,
  }
  const payload = { metadata, ...input }
  const answer = await deps.tracer.measure(
    () =>
      isEndpoint(uri)
        ? callHttpHook(deps.fetch, { uri, secrets, payload, now: call.now })
        : callFunction(deps.db, uri, payload),
    () => ({ kind: 'hook', name: METADATA_NAMES[name], target: uri }),
  )
  if (answer === null) return null
  const read = HookAnswer.safeParse(answer)
  // Malformed errors are refusals too: upstream overlooks them, and does what the hook wanted to refuse.
  if (!read.success) throw authError('hookOutput', [], { cause: read.error })
  const { error } = read.data
  if (error && error.message !== '') throw hookError(error.http_code || 500, error.message)
  return answer
}

const HookAnswer = z.looseObject({
  error: z
    .object({
      http_code: z
        .number()
        .int()
        .min(0)
        .max(599)
        .catch(500)
        .default(0)
        .transform((code) => (code >= 400 ? code : 0)),
      message: text,
    })
    .nullish(),
})

/** Milliseconds before upstream cancels a hook's function. */
const FUNCTION_TIMEOUT = 2000

async function callFunction(db: AuthDb, uri: string, payload: HookInput): Promise<unknown> {
  const [schema, name] = functionOf(uri)
  try {
    const results = await db.run([
      sql`select set_config('statement_timeout', ${String(FUNCTION_TIMEOUT)}, true)`,
      sql`select ${identifier(schema, name)}(${payload}::jsonb) as answer`,
      // The rest of the flow's transaction has the usual limit.
      sql`set local statement_timeout to default`,
    ])
    return results[1]?.rows[0]?.answer ?? null
  } catch (error) {
    throw authError('hookFailed', [uri], { cause: error })
  }
}

function functionOf(uri: string): [schema: string, name: string] {
  const [schema, name, ...rest] = URL.parse(uri)?.pathname.split('/').filter(Boolean).map(decodeURIComponent) ?? []
  if (!uri.startsWith('pg-functions:') || !schema || !name || rest.length > 0) throw authError('hookFailed', [uri])
  return [schema, name]
}

/** Lets the project refuse a new account before it's created. */
export async function beforeUserCreated(deps: AuthDeps, call: Call, user: Partial<PresentedUser>): Promise<void> {
  if (hookEnabled(deps.config, 'before_user_created')) await callHook(deps, call, 'before_user_created', { user })
}

const AttemptVerdict = z.object({
  decision: z.string().nullish(),
  message: z.string().nullish(),
  should_logout_user: z.boolean().nullish(),
})

export type Rejection = { readonly message: string; readonly logout: boolean }

/** Returns a hook's decision on a password or factor attempt; null leaves the attempt as it is. */
export async function callAttemptHook(
  deps: AuthDeps,
  call: Call,
  name: 'mfa_verification_attempt' | 'password_verification_attempt',
  input: HookInput,
): Promise<Rejection | null> {
  if (!hookEnabled(deps.config, name)) return null
  const verdict = AttemptVerdict.safeParse(await callHook(deps, call, name, input))
  if (!verdict.success) throw authError('hookOutput')
  const { decision, message, should_logout_user: logout } = verdict.data
  if (decision !== 'reject') return null
  const kind = name === 'mfa_verification_attempt' ? 'MFA' : 'password'
  return {
    message: message || `Further ${kind} verification attempts will be rejected.`,
    logout: name === 'mfa_verification_attempt' || logout === true,
  }
}

/** Runs a flow that calls the project's hooks. If these are Postgres functions, they share the flow's transaction, as
 *  upstream: they see its rows, and their failure rolls it back. HTTP endpoints are called outside any transaction,
 *  which would otherwise block the embedded database's only session.
 *  @param flow Receives the dependencies to use; the outer ones would wait for the transaction to end. */
export function withHooks<T>(
  deps: AuthDeps,
  hooks: readonly HookName[],
  flow: (deps: AuthDeps) => Promise<T>,
): Promise<T> {
  if (!hooks.every((name) => isFunctionHook(deps.config, name))) return flow(deps)
  return deps.db.transaction((tx) => flow({ ...deps, db: transactionAsDb(tx) }))
}

/** Runs everything in one transaction; nested transactions join it. */
function transactionAsDb(tx: Transaction): AuthDb {
  return {
    query: (statement) => tx.query(statement),
    async run(statements) {
      const results = []
      for (const statement of statements) results.push(await tx.query(statement))
      return results
    },
    transaction: (work) => work(tx),
  }
}
