import { randomUUID } from 'node:crypto'
import { execute } from '../../database/db.ts'
import type { Queryable } from './auth-db.ts'
import type { Json } from './params.ts'
import type { User } from './user.ts'
import { INSTANCE_ID } from './users.ts'

/** @see supabase/auth internal/models/audit_log_entry.go */
const LOG_TYPES = {
  login: 'account',
  logout: 'account',
  invite_accepted: 'account',
  user_signedup: 'team',
  user_invited: 'team',
  user_deleted: 'team',
  token_revoked: 'token',
  token_refreshed: 'token',
  user_modified: 'user',
  passkey_created: 'user',
  passkey_updated: 'user',
  passkey_deleted: 'user',
  user_recovery_requested: 'user',
  user_reauthenticate_requested: 'user',
  user_confirmation_requested: 'user',
  user_repeated_signup: 'user',
  user_updated_password: 'user',
  identity_linked: 'user',
  identity_unlinked: 'user',
  factor_in_progress: 'factor',
  factor_unenrolled: 'factor',
  challenge_created: 'factor',
  verification_attempted: 'factor',
  factor_deleted: 'factor',
  factor_updated: 'factor',
  recovery_codes_generated: 'factor',
  recovery_codes_verified: 'factor',
  recovery_codes_regenerated: 'factor',
  recovery_codes_deleted: 'factor',
} as const

type AuditAction = keyof typeof LOG_TYPES

export type Actor = Pick<User, 'id' | 'email' | 'phone' | 'is_sso_user' | 'raw_user_meta_data'>

export const adminActor: Actor = {
  id: INSTANCE_ID,
  email: 'service_role',
  phone: '',
  is_sso_user: false,
  raw_user_meta_data: {},
}

export type AuditEntry = {
  readonly actor: Actor
  readonly action: AuditAction
  readonly traits?: Json
  readonly address?: string
}

export async function audit(db: Queryable, entry: AuditEntry, now: Date): Promise<void> {
  const { address = '' } = entry
  await execute(db)`insert into auth.audit_log_entries (instance_id, id, payload, created_at, ip_address)
    values (${INSTANCE_ID}, ${randomUUID()}, ${auditPayload(entry)}, ${now}, ${address.slice(0, 64)})`
}

export function auditPayload({ actor, action, traits }: AuditEntry): Json {
  return {
    action,
    actor_id: actor.id,
    actor_via_sso: actor.is_sso_user,
    actor_username: actor.phone || actor.email,
    ...('full_name' in actor.raw_user_meta_data ? { actor_name: actor.raw_user_meta_data.full_name } : {}),
    log_type: LOG_TYPES[action],
    ...(traits ? { traits } : {}),
  }
}
