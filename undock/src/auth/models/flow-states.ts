import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import { execute, queryRow, queryRows } from '../../database/db.ts'
import { sql } from '../../kernel/sql.ts'
import type { Queryable } from './auth-db.ts'
import type { PkceParams } from './params.ts'
import type { AuthenticationMethod } from './sessions.ts'

/** A PKCE flow between its start and the exchange of its code. */
export type FlowState = {
  readonly id: string
  readonly user_id: string | null
  readonly auth_code: string | null
  readonly code_challenge_method: 's256' | 'plain' | null
  readonly code_challenge: string | null
  readonly provider_type: string
  readonly provider_access_token: string | null
  readonly provider_refresh_token: string | null
  readonly authentication_method: AuthenticationMethod
  readonly auth_code_issued_at: Date | null
  readonly created_at: Date
}

/** Seconds; upstream's default for GOTRUE_EXTERNAL_FLOW_STATE_EXPIRY_DURATION. */
const EXPIRY = 300

const COLUMNS = sql`id, user_id, auth_code, code_challenge_method, code_challenge, provider_type, provider_access_token,
  provider_refresh_token, authentication_method, auth_code_issued_at, coalesce(created_at, 'epoch') as created_at`

export type NewFlowState = {
  readonly userId: string | null
  readonly providerType: string
  readonly method: AuthenticationMethod
  readonly pkce: PkceParams
}

export async function insertFlowState(
  db: Queryable,
  { userId, providerType, method, pkce }: NewFlowState,
  now: Date,
): Promise<string> {
  const id = randomUUID()
  await execute(db)`insert into auth.flow_state (id, user_id, auth_code, code_challenge_method, code_challenge,
      provider_type, provider_access_token, provider_refresh_token, authentication_method, created_at, updated_at)
    values (${id}, ${userId}, ${randomUUID()},
      ${pkce.code_challenge_method.toLowerCase()}::auth.code_challenge_method, ${pkce.code_challenge},
      ${providerType}, '', '', ${method}, ${now}, ${now})`
  return id
}

/** Starts a flow for a mail's link if the client asked for one. @returns whether it did */
export async function startMailFlow(
  db: Queryable,
  { id }: { readonly id: string },
  { method, providerType = method, pkce }: Omit<NewFlowState, 'userId' | 'providerType'> & { providerType?: string },
  now: Date,
): Promise<boolean> {
  const isPkce = pkce.code_challenge !== ''
  if (isPkce) await insertFlowState(db, { userId: id, providerType, method, pkce }, now)
  return isPkce
}

/** Returns the flow's authorization code. */
export async function codeOfFlow(db: Queryable, id: string): Promise<string | null> {
  const rows = await queryRows<{ auth_code: string | null }>(db)`select auth_code from auth.flow_state where id = ${id}`
  return rows[0]?.auth_code ?? null
}

/** Locks the row: of two exchanges of one code, the second finds it gone. */
export async function lockFlowState(tx: Queryable, authCode: string): Promise<FlowState | null> {
  return queryRow<FlowState>(tx)`select ${COLUMNS} from auth.flow_state
    where auth_code = ${authCode} limit 1 for update`
}

/** Returns the code of the user's latest flow of this kind, whose lifetime starts now. */
export async function issueAuthCode(db: Queryable, userId: string, method: AuthenticationMethod, now: Date) {
  const rows = await queryRows<{ auth_code: string | null }>(db)`update auth.flow_state
    set auth_code_issued_at = ${now}, updated_at = ${now} where id = (
      select id from auth.flow_state where user_id = ${userId} and authentication_method = ${method}
        and code_challenge is not null order by created_at desc limit 1
    ) returning auth_code`
  return rows[0]?.auth_code ?? null
}

export async function deleteFlowState(db: Queryable, id: string): Promise<void> {
  await execute(db)`delete from auth.flow_state where id = ${id}`
}

/** A magic link's flow lives from the click, others from their start. */
export function flowStateExpired(state: FlowState, now: Date): boolean {
  const from =
    state.authentication_method === 'magiclink' ? (state.auth_code_issued_at ?? state.created_at) : state.created_at
  return now.getTime() > from.getTime() + EXPIRY * 1000
}

/** RFC 7636 §4.6. */
export function verifierMatches(state: Pick<FlowState, 'code_challenge' | 'code_challenge_method'>, verifier: string) {
  const derived =
    state.code_challenge_method === 'plain' ? verifier : createHash('sha256').update(verifier).digest('base64url')
  const expected = Buffer.from(state.code_challenge ?? '')
  const actual = Buffer.from(derived)
  return expected.length > 0 && expected.length === actual.length && timingSafeEqual(expected, actual)
}
