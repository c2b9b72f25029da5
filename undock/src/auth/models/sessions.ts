import { randomUUID } from 'node:crypto'
import { isIP } from 'node:net'
import { execute } from '../../database/db.ts'
import { type Sql, sql } from '../../kernel/sql.ts'
import type { Queryable } from './auth-db.ts'
import type { FactorType } from './user.ts'

export type AssuranceLevel = 'aal1' | 'aal2' | 'aal3'

/** Authentication methods, as named in `amr` and flow states. @see supabase/auth internal/models/factor.go */
export type AuthenticationMethod =
  | 'oauth'
  | 'password'
  | 'otp'
  | 'totp'
  | 'recovery'
  | 'invite'
  | 'sso/saml'
  | 'magiclink'
  | 'email/signup'
  | 'email_change'
  | 'token_refresh'
  | 'anonymous'
  | 'mfa/phone'
  | 'mfa/webauthn'
  | 'mfa/recovery_code'
  | 'web3'
  | 'passkey'
  | 'oauth_provider/authorization_code'

export const METHOD_OF_FACTOR = {
  totp: 'totp',
  phone: 'mfa/phone',
  webauthn: 'mfa/webauthn',
  recovery_code: 'mfa/recovery_code',
} as const satisfies Record<FactorType, AuthenticationMethod>

const SECOND_FACTORS: readonly string[] = Object.values(METHOD_OF_FACTOR)

/** A row of auth.sessions with its `amr`, newest first. */
export type Session = {
  readonly id: string
  readonly user_id: string
  readonly created_at: Date
  readonly factor_id: string | null
  readonly aal: AssuranceLevel
  readonly not_after: Date | null
  readonly refreshed_at: Date | null
  /** The app of an OAuth server's session, and its scopes. */
  readonly oauth_client_id: string | null
  readonly scopes: string | null
  readonly amr: readonly AmrEntry[]
}

/** `timestamp` is in seconds since the epoch. */
export type AmrEntry = { readonly method: string; readonly timestamp: number }

/** What the OAuth server granted to an app; scopes are space-separated. */
export type AppGrant = { readonly clientId: string; readonly scopes: string }

/** @property notAfter When the session ends at the latest. */
export type SessionOptions = { readonly grant?: AppGrant; readonly notAfter?: Date }

export const appGrantOf = ({ oauth_client_id: clientId, scopes }: Session): AppGrant | null =>
  clientId === null ? null : { clientId, scopes: scopes ?? '' }

export type Client = { readonly address: string; readonly userAgent: string }

/** Returns the statement that reads a session, to batch with others. */
export const selectSession = (where: Sql): Sql => sql`
  select s.id, s.user_id, coalesce(s.created_at, 'epoch') as created_at, s.factor_id, coalesce(s.aal, 'aal1') as aal,
    s.not_after, s.refreshed_at at time zone 'UTC' as refreshed_at, s.oauth_client_id, s.scopes,
    (select coalesce(jsonb_agg(jsonb_build_object(
        'method', a.authentication_method, 'timestamp', floor(extract(epoch from a.updated_at))::bigint
      ) order by a.updated_at desc), '[]')
      from auth.mfa_amr_claims a where a.session_id = s.id) as amr
  from auth.sessions s where ${where}`

export const sessionIdIs = (id: string): Sql => sql`s.id = ${id}`

export async function findSession(db: Queryable, id: string): Promise<Session | null> {
  const { rows } = await db.query<Session>(selectSession(sessionIdIs(id)))
  return rows[0] ?? null
}

export type NewSession = SessionOptions & { readonly id: string; readonly userId: string; readonly client: Client }

export async function insertSession(
  db: Queryable,
  { id, userId, client, grant, notAfter }: NewSession,
  now: Date,
): Promise<void> {
  await execute(db)`insert into auth.sessions
    (id, user_id, created_at, updated_at, aal, user_agent, ip, oauth_client_id, scopes, not_after)
    values (${id}, ${userId}, ${now}, ${now}, 'aal1', ${client.userAgent || null}, ${inetOf(client.address)},
      ${grant?.clientId ?? null}, ${grant?.scopes ?? null}, ${notAfter ?? null})`
}

/** Adds an authentication method to the session, or updates its time. */
export async function addAmr(db: Queryable, sessionId: string, method: AuthenticationMethod, now: Date) {
  await execute(db)`insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
    values (${randomUUID()}, ${sessionId}, ${now}, ${now}, ${method})
    on conflict on constraint mfa_amr_claims_session_id_authentication_method_pkey do update set updated_at = ${now}`
}

export function assuranceOf(amr: readonly AmrEntry[]): AssuranceLevel {
  return amr.some(({ method }) => SECOND_FACTORS.includes(method)) ? 'aal2' : 'aal1'
}

export async function setAssuranceLevel(
  db: Queryable,
  id: string,
  { aal, factorId, now }: { readonly aal: AssuranceLevel; readonly factorId: string; readonly now: Date },
) {
  await execute(db)`update auth.sessions set aal = ${aal}::auth.aal_level, factor_id = ${factorId}, updated_at = ${now}
    where id = ${id}`
}

export async function recordRefresh(db: Queryable, id: string, client: Client, now: Date): Promise<void> {
  const at = now.toISOString().slice(0, -1)
  await execute(db)`update auth.sessions set refreshed_at = ${at}::timestamp, user_agent = ${client.userAgent || null},
    ip = ${inetOf(client.address)}, updated_at = ${now} where id = ${id}`
}

/** Seconds; zero means no limit. */
export type SessionLimits = { readonly timebox: number; readonly inactivity_timeout: number }

export type SessionFault = 'expired' | 'inactive'

/** Returns why a session is over, or null. @see supabase/auth internal/models/sessions.go, CheckValidity */
export function sessionFault(
  session: Pick<Session, 'created_at' | 'not_after' | 'refreshed_at'>,
  limits: SessionLimits,
  now: Date,
  tokenUpdatedAt: Date | null = null,
): SessionFault | null {
  const over = (since: Date, seconds: number) => seconds > 0 && now.getTime() > since.getTime() + seconds * 1000
  if (session.not_after && now > session.not_after) return 'expired'
  if (over(session.created_at, limits.timebox)) return 'expired'
  const touched = tokenUpdatedAt && tokenUpdatedAt > session.created_at ? tokenUpdatedAt : session.created_at
  return over(session.refreshed_at ?? touched, limits.inactivity_timeout) ? 'inactive' : null
}

export const deleteSession = (db: Queryable, id: string): Promise<void> => deleteSessions(db, sql`id = ${id}`)

export const deleteSessionsOf = (db: Queryable, userId: string, exceptId: string | null = null): Promise<void> =>
  deleteSessions(db, sql`user_id = ${userId} and id is distinct from ${exceptId}::uuid`)

export const deleteSessionsBelow = (db: Queryable, userId: string, aal: AssuranceLevel): Promise<void> =>
  deleteSessions(db, sql`user_id = ${userId} and aal < ${aal}::auth.aal_level`)

/** Locks the sessions' tokens first, like a token's exchange: in the other order the two would deadlock. */
async function deleteSessions(db: Queryable, condition: Sql): Promise<void> {
  await execute(db)`with tokens as (
      select id from auth.refresh_tokens where session_id in (select id from auth.sessions where ${condition})
      order by id for update
    )
    delete from auth.sessions where ${condition} and (select count(*) from tokens) >= 0`
}

/** Downgrades sessions that a removed factor had raised. */
export async function downgradeSessionsOfFactor(
  db: Queryable,
  userId: string,
  { id: factorId, factor_type: type }: { readonly id: string; readonly factor_type: FactorType },
  now: Date,
): Promise<void> {
  await execute(db)`delete from auth.mfa_amr_claims where authentication_method = ${METHOD_OF_FACTOR[type]}
    and session_id in (select id from auth.sessions where user_id = ${userId} and factor_id = ${factorId})`
  await execute(db)`update auth.sessions set aal = 'aal1', factor_id = null, updated_at = ${now}
    where user_id = ${userId} and factor_id = ${factorId}`
}

/** Returns an address that Postgres accepts as `inet`, or null. */
export const inetOf = (address: string): string | null => (isIP(address) > 0 ? address : null)
