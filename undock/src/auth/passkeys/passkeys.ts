import { randomUUID } from 'node:crypto'
import { execute, queryRows } from '../../database/db.ts'
import { sql } from '../../kernel/sql.ts'
import type { NewCredential, StoredCredential } from '../credentials/webauthn.ts'
import { authError } from '../errors.ts'
import type { Queryable } from '../models/auth-db.ts'
import { isUuid } from '../models/params.ts'

/** Names of common authenticators, by AAGUID.
 *  @see https://github.com/passkeydeveloper/passkey-authenticator-aaguids */
const NAMES: Readonly<Record<string, string>> = {
  'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4': 'Google Password Manager',
  'dd4ec289-e01d-41c9-bb89-70fa845d4bf2': 'iCloud Keychain (Managed)',
  'fbfc3007-154e-4ecc-8c0b-6e020557d7bd': 'Apple Passwords',
  'adce0002-35bc-c60a-648b-0b25f1f05503': 'Chrome on Mac',
  '771b48fd-d3d4-4f74-9232-fc157ab0507a': 'Edge on Mac',
  '08987058-cadc-4b81-b6e1-30de50dcbe96': 'Windows Hello',
  '9ddd1817-af5a-4672-a2b9-3e3dd95000a9': 'Windows Hello',
  '6028b017-b1d4-4c02-b4b3-afcdafc96bb2': 'Windows Hello',
  '53414d53-554e-4700-0000-000000000000': 'Samsung Pass',
  'bada5566-a7aa-401f-bd96-45619a55120d': '1Password',
  'd548826e-79b4-db40-a3d8-11116f7e8349': 'Bitwarden',
  '531126d6-e717-415c-9320-3d9aa6981239': 'Dashlane',
  'fdb141b2-5d84-443e-8a35-4698c205a502': 'KeePassXC',
  '50726f74-6f6e-5061-7373-50726f746f6e': 'Proton Pass',
  'b84e4048-15dc-4dd0-8640-f4f60813c8af': 'NordPass',
  '0ea242b4-43c4-4a1b-8b17-dd6d0b6baec6': 'Keeper',
  'b78a0a55-6ef8-d246-a042-ba0f6d55050c': 'LastPass',
  'f3809540-7f14-49c1-a8b3-8f813b225541': 'Enpass',
  'cb69481e-8ff7-4039-93ec-0a2729a154a8': 'YubiKey 5 Series',
  'fa2b99dc-9e39-4257-8f92-4a30d23c4118': 'YubiKey 5 Series with NFC',
  'c5ef55ff-ad9a-4b9f-b580-adebafe026d0': 'YubiKey 5 Series with Lightning',
  '42b4fb4a-2866-43b2-9bf7-6c6669c2e5d3': 'Google Titan Security Key v2',
}

const friendlyNameOf = (aaguid: string): string =>
  Object.hasOwn(NAMES, aaguid) ? (NAMES[aaguid] ?? 'Passkey') : 'Passkey'

/** What clients may see of a row of auth.webauthn_credentials, and the credential itself. */
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
  const rows = await queryRows<Row>(db)`select ${COLUMNS} from auth.webauthn_credentials where user_id = ${userId}
    order by created_at, id`
  return rows.map(readRow)
}

export async function findPasskey(db: Queryable, id: string, userId: string): Promise<Passkey> {
  if (!isUuid(id)) throw authError('passkeyUnknown')
  const rows = await queryRows<Row>(db)`select ${COLUMNS} from auth.webauthn_credentials
    where id = ${id} and user_id = ${userId}`
  if (!rows[0]) throw authError('passkeyUnknown')
  return readRow(rows[0])
}

export async function insertPasskey(tx: Queryable, userId: string, made: NewCredential, now: Date): Promise<Passkey> {
  const { credential } = made
  const rows = await queryRows<Row>(tx)`insert into auth.webauthn_credentials (id, user_id, credential_id, public_key,
    attestation_type, aaguid,
      sign_count, transports, backup_eligible, backed_up, friendly_name, created_at, updated_at)
    values (${randomUUID()}, ${userId}, ${Buffer.from(credential.id, 'base64url')},
      ${Buffer.from(credential.publicKey, 'base64url')}, ${made.attestation}, ${made.aaguid}, ${credential.signCount},
      ${JSON.stringify(credential.transports)}::jsonb, ${made.backupEligible}, ${made.backedUp},
      ${friendlyNameOf(made.aaguid)}, ${now}, ${now})
    returning ${COLUMNS}`
  return readRow(rows[0] as Row)
}

export async function renamePasskey(tx: Queryable, id: string, name: string, now: Date): Promise<void> {
  await execute(tx)`update auth.webauthn_credentials set friendly_name = ${name}, updated_at = ${now} where id = ${id}`
}

/** @returns false if this signature count or a later one was accepted meanwhile. Some authenticators always send zero. */
export async function recordPasskeyUse(db: Queryable, id: string, signCount: number, now: Date): Promise<boolean> {
  const { rowCount } = await execute(db)`update auth.webauthn_credentials
    set sign_count = ${signCount}, last_used_at = ${now},
    updated_at = ${now} where id = ${id} and (sign_count < ${signCount} or (sign_count = 0 and ${signCount} = 0))`
  return rowCount > 0
}

export async function deletePasskey(tx: Queryable, id: string): Promise<void> {
  await execute(tx)`delete from auth.webauthn_credentials where id = ${id}`
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
