import { randomUUID } from 'node:crypto'
import { sql, statement } from '../../kernel/sql.ts'
import type { NewCredential, StoredCredential } from '../credentials/webauthn.ts'
import { authError } from '../errors.ts'
import type { Queryable } from '../models/auth-db.ts'
import { isUuid } from '../models/params.ts'
import { friendlyNameOf } from './names.ts'

/** The properties of a row of auth.webauthn_credentials that a client may see, and the credential itself. */
export type Passkey = {
  readonly id: string
  readonly user_id: string
  readonly friendly_name: string
  readonly created_at: Date
  readonly last_used_at: Date | null
  readonly credential: StoredCredential
}

type Row = Omit<Passkey, 'credential'> & {
  readonly credential_id: Buffer
  readonly public_key: Buffer
  readonly sign_count: string
  readonly transports: string[]
}

const COLUMNS = sql`id, user_id, friendly_name, created_at, last_used_at, credential_id, public_key, sign_count, transports`

export async function listPasskeys(db: Queryable, userId: string): Promise<Passkey[]> {
  const { rows } = await db.query<Row>(
    statement(sql`select ${COLUMNS} from auth.webauthn_credentials where user_id = ${userId} order by created_at, id`),
  )
  return rows.map(readRow)
}

/** @throws `validation_failed` "Passkey not found", also for a malformed id */
export async function findPasskey(db: Queryable, id: string, userId: string): Promise<Passkey> {
  if (!isUuid(id)) throw authError('passkeyUnknown')
  const { rows } = await db.query<Row>(
    statement(sql`select ${COLUMNS} from auth.webauthn_credentials where id = ${id} and user_id = ${userId}`),
  )
  if (!rows[0]) throw authError('passkeyUnknown')
  return readRow(rows[0])
}

export async function insertPasskey(tx: Queryable, userId: string, made: NewCredential, now: Date): Promise<Passkey> {
  const { credential } = made
  const { rows } = await tx.query<Row>(
    statement(sql`insert into auth.webauthn_credentials (id, user_id, credential_id, public_key, attestation_type, aaguid,
        sign_count, transports, backup_eligible, backed_up, friendly_name, created_at, updated_at)
      values (${randomUUID()}, ${userId}, ${Buffer.from(credential.id, 'base64url')},
        ${Buffer.from(credential.publicKey, 'base64url')}, ${made.attestation}, ${made.aaguid}, ${credential.signCount},
        ${JSON.stringify(credential.transports)}::jsonb, ${made.backupEligible}, ${made.backedUp},
        ${friendlyNameOf(made.aaguid)}, ${now}, ${now})
      returning ${COLUMNS}`),
  )
  return readRow(rows[0] as Row)
}

export async function renamePasskey(tx: Queryable, id: string, name: string, now: Date): Promise<void> {
  await tx.query(
    statement(sql`update auth.webauthn_credentials set friendly_name = ${name}, updated_at = ${now} where id = ${id}`),
  )
}

/** @returns false when a signature with this count, or a later one, was accepted meanwhile. Authenticators that do not count
 *  always say zero. */
export async function recordPasskeyUse(db: Queryable, id: string, signCount: number, now: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    statement(sql`update auth.webauthn_credentials set sign_count = ${signCount}, last_used_at = ${now},
      updated_at = ${now} where id = ${id} and (sign_count < ${signCount} or (sign_count = 0 and ${signCount} = 0))`),
  )
  return rowCount > 0
}

export async function deletePasskey(tx: Queryable, id: string): Promise<void> {
  await tx.query(statement(sql`delete from auth.webauthn_credentials where id = ${id}`))
}

export function presentPasskey({ id, friendly_name, created_at, last_used_at }: Passkey) {
  return {
    id,
    ...(friendly_name ? { friendly_name } : {}),
    created_at,
    ...(last_used_at ? { last_used_at } : {}),
  }
}

function readRow({ credential_id, public_key, sign_count, transports, ...row }: Row): Passkey {
  return {
    ...row,
    credential: {
      id: credential_id.toString('base64url'),
      publicKey: public_key.toString('base64url'),
      signCount: Number(sign_count),
      transports,
    },
  }
}
