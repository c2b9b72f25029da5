import { z } from 'zod'
import type { AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { type AuthenticatedCall, type Call, json } from '../http/call.ts'
import { userOfPath } from '../http/path-records.ts'
import { type Actor, adminActor, audit } from '../models/audit.ts'
import { type Json, text } from '../models/params.ts'
import { deletePasskey, findPasskey, listPasskeys, presentPasskey, renamePasskey } from './passkeys.ts'
import { checkMayManage } from './register.ts'

/** GET /passkeys @see supabase/auth internal/api/passkey_manage.go */
export async function listOwnPasskeys({ db }: AuthDeps, { caller }: AuthenticatedCall): Promise<Response> {
  return json((await listPasskeys(db, caller.user.id)).map(presentPasskey))
}

export const PasskeyName = z.object({ friendly_name: text })

/** PATCH /passkeys/{passkey_id} */
export async function updatePasskey(
  { db }: AuthDeps,
  { caller, params, now, client }: AuthenticatedCall,
  { friendly_name: name }: z.infer<typeof PasskeyName>,
): Promise<Response> {
  if (name === '') throw authError('passkeyNameMissing')
  if (Buffer.byteLength(name) > 120) throw authError('passkeyNameTooLong')
  const passkey = await findPasskey(db, params.passkey_id ?? '', caller.user.id)
  await db.transaction(async (tx) => {
    await renamePasskey(tx, passkey.id, name, now)
    const traits = { passkey_id: passkey.id }
    await audit(tx, { actor: caller.user, action: 'passkey_updated', traits, address: client.address }, now)
  })
  return json(presentPasskey({ ...passkey, friendly_name: name }))
}

/** DELETE /passkeys/{passkey_id} */
export async function deleteOwnPasskey(deps: AuthDeps, call: AuthenticatedCall): Promise<Response> {
  const { user } = call.caller
  checkMayManage(call.caller)
  return remove(deps, call, { userId: user.id, actor: user, extraTraits: {} })
}

/** GET /admin/users/{user_id}/passkeys @see supabase/auth internal/api/passkey_admin.go */
export async function listPasskeysAsAdmin(deps: AuthDeps, call: Call): Promise<Response> {
  const { id } = await userOfPath(deps, call)
  return json((await listPasskeys(deps.db, id)).map(presentPasskey))
}

/** DELETE /admin/users/{user_id}/passkeys/{passkey_id} */
export async function deletePasskeyAsAdmin(deps: AuthDeps, call: Call): Promise<Response> {
  const { id } = await userOfPath(deps, call)
  return remove(deps, call, { userId: id, actor: adminActor, extraTraits: { user_id: id } })
}

async function remove(
  { db }: AuthDeps,
  { params, now, client }: Call,
  { userId, actor, extraTraits }: { readonly userId: string; readonly actor: Actor; readonly extraTraits: Json },
) {
  const { id } = await findPasskey(db, params.passkey_id ?? '', userId)
  await db.transaction(async (tx) => {
    await deletePasskey(tx, id)
    const traits = { ...extraTraits, passkey_id: id }
    await audit(tx, { actor, action: 'passkey_deleted', traits, address: client.address }, now)
  })
  return new Response(null, { status: 204 })
}
