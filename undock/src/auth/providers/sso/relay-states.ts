import { randomUUID } from 'node:crypto'
import { execute, queryRows } from '../../../database/db.ts'
import { authError } from '../../errors.ts'
import type { Queryable } from '../../models/auth-db.ts'

export type RelayState = {
  readonly id: string
  readonly sso_provider_id: string
  readonly request_id: string
  readonly redirect_to: string
  readonly flow_state_id: string | null
  readonly created_at: Date
}

/** Seconds; upstream's default for GOTRUE_SAML_RELAY_STATE_VALIDITY_PERIOD. */
const EXPIRY = 120

export async function insertRelayState(
  db: Queryable,
  given: Omit<RelayState, 'id' | 'created_at'>,
  now: Date,
): Promise<string> {
  const id = randomUUID()
  await execute(db)`insert into auth.saml_relay_states
    (id, sso_provider_id, request_id, redirect_to, flow_state_id, created_at, updated_at)
    values (${id}, ${given.sso_provider_id}, ${given.request_id}, ${given.redirect_to}, ${given.flow_state_id}, ${now}, ${now})`
  return id
}

/** Consumes a state, which accepts one response. @throws `saml_relay_state_not_found`, `saml_relay_state_expired` */
export async function consumeRelayState(db: Queryable, id: string, now: Date): Promise<RelayState> {
  const [state] = await queryRows<RelayState>(db)`delete from auth.saml_relay_states where id = ${id}
    returning id, sso_provider_id, request_id, coalesce(redirect_to, '') as redirect_to, flow_state_id, created_at`
  if (!state) throw authError('samlRelayUnknown')
  if (now.getTime() >= state.created_at.getTime() + EXPIRY * 1000) throw authError('samlRelayExpired')
  return state
}
