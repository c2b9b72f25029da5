import { randomUUID } from 'node:crypto'
import { execute, queryRows } from '../../database/db.ts'
import { sql } from '../../kernel/sql.ts'
import { authError } from '../errors.ts'
import type { AuthDb, Queryable } from '../models/auth-db.ts'
import { isUuid, type PkceParams } from '../models/params.ts'

export type OAuthContext = {
  readonly provider: string
  readonly redirectTo: string
  readonly linkingTargetId: string | null
  readonly inviteToken: string
  readonly emailOptional: boolean
  readonly verifier: string | null
}

export type OAuthState = OAuthContext & {
  readonly id: string
  /** Null if the client didn't request PKCE. */
  readonly authCode: string | null
}

const EXPIRY = 300

/** @returns the `state` that the provider passes back */
export async function insertOAuthState(
  db: AuthDb,
  context: OAuthContext,
  pkce: PkceParams,
  now: Date,
): Promise<string> {
  const id = randomUUID()
  const clientStateId = context.verifier ? randomUUID() : null
  const challenge = pkce.code_challenge || null
  const method = pkce.code_challenge_method.toLowerCase() || null
  await db.run([
    ...(clientStateId
      ? [
          sql`insert into auth.oauth_client_states (id, provider_type, code_verifier, created_at)
            values (${clientStateId}, ${context.provider}, ${context.verifier}, ${now})`,
        ]
      : []),
    sql`insert into auth.flow_state (id, auth_code, code_challenge, code_challenge_method, provider_type,
        provider_access_token, provider_refresh_token, authentication_method, created_at, updated_at, referrer,
        oauth_client_state_id, linking_target_id, email_optional, invite_token)
      values (${id}, ${challenge ? randomUUID() : null}, ${challenge}, ${method}::auth.code_challenge_method,
        ${context.provider}, '', '', 'oauth', ${now}, ${now}, ${context.redirectTo}, ${clientStateId},
        ${context.linkingTargetId}, ${context.emailOptional}, ${context.inviteToken || null})`,
  ])
  return id
}

type Row = OAuthState & { readonly userId: string | null; readonly createdAt: Date }

/** Consumes a state passed back by a provider, which can't be used again.
 *  @throws `bad_oauth_callback`, `bad_oauth_state`, `flow_state_already_used` */
export async function claimOAuthState(db: AuthDb, state: string, now: Date): Promise<OAuthState> {
  if (state === '') throw authError('callbackState')
  if (!isUuid(state)) throw authError('oauthStateInvalid')
  return db.transaction(async (tx) => {
    const [row] = await queryRows<Row>(tx)`select f.id, f.user_id as "userId", f.auth_code as "authCode",
        f.provider_type as provider, coalesce(f.referrer, '') as "redirectTo", f.linking_target_id as "linkingTargetId",
        coalesce(f.invite_token, '') as "inviteToken", f.email_optional as "emailOptional", f.created_at as "createdAt",
        (select c.code_verifier from auth.oauth_client_states c where c.id = f.oauth_client_state_id) as verifier
      from auth.flow_state f where f.id = ${state} and f.authentication_method = 'oauth' for update of f`
    if (!row) throw authError('oauthStateUnknown')
    if (now.getTime() > row.createdAt.getTime() + EXPIRY * 1000) throw authError('oauthStateExpired')
    if (row.userId) throw authError('oauthStateUsed')
    await consume(tx, row, now)
    return row
  })
}

/** An implicit flow's row is no longer needed. A PKCE flow's row becomes that of the client's code, and is only found
 *  by that code: marking it `oauth/claimed` makes the state single-use. */
async function consume(tx: Queryable, { id, authCode }: OAuthState, now: Date): Promise<void> {
  await tx.query(
    authCode
      ? sql`update auth.flow_state set authentication_method = 'oauth/claimed', updated_at = ${now} where id = ${id}`
      : sql`delete from auth.flow_state where id = ${id}`,
  )
}

export type ProviderTokens = { readonly accessToken: string; readonly refreshToken: string }

export type SignedInState = {
  readonly id: string
  readonly userId: string
  readonly tokens: ProviderTokens
  readonly method: 'oauth' | 'sso/saml'
}

/** Assigns the client's code to the user who signed in. */
export async function completeOAuthState(
  db: Queryable,
  { id, userId, tokens, method }: SignedInState,
  now: Date,
): Promise<void> {
  await execute(db)`update auth.flow_state set user_id = ${userId}, provider_access_token = ${tokens.accessToken},
    provider_refresh_token = ${tokens.refreshToken}, authentication_method = ${method}, auth_code_issued_at = ${now},
    updated_at = ${now} where id = ${id}`
}
