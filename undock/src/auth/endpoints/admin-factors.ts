import { z } from 'zod'
import type { AuthDeps } from '../deps.ts'
import { type Call, json } from '../http/call.ts'
import { factorOfPath, userOfPath } from '../http/caller.ts'
import { adminActor, audit } from '../models/audit.ts'
import { changeFactorPhone, deleteFactor, renameFactor } from '../models/factors.ts'
import { text, validPhone } from '../models/params.ts'
import { downgradeSessionsOfFactor } from '../models/sessions.ts'
import { presentFactor } from '../models/user.ts'

/** GET /admin/users/{user_id}/factors */
export async function listFactors(deps: AuthDeps, call: Call): Promise<Response> {
  const { factors } = await userOfPath(deps, call)
  return json(factors.map(presentFactor))
}

/** DELETE /admin/users/{user_id}/factors/{factor_id} */
export async function removeFactor(deps: AuthDeps, call: Call): Promise<Response> {
  const user = await userOfPath(deps, call)
  const factor = factorOfPath(user, call)
  await deps.db.transaction(async (tx) => {
    const traits = { user_id: user.id, factor_id: factor.id }
    await audit(tx, { actor: user, action: 'factor_deleted', traits, address: call.client.address }, call.now)
    await deleteFactor(tx, factor.id)
    await downgradeSessionsOfFactor(tx, user.id, factor, call.now)
  })
  return json(presentFactor(factor))
}

export const UpdateFactor = z.object({ friendly_name: text, phone: text })

/** PUT /admin/users/{user_id}/factors/{factor_id} */
export async function updateFactor(deps: AuthDeps, call: Call, body: z.infer<typeof UpdateFactor>): Promise<Response> {
  const user = await userOfPath(deps, call)
  const factor = factorOfPath(user, call)
  const phone = body.phone !== '' && factor.factor_type === 'phone' ? validPhone(body.phone) : ''
  await deps.db.transaction(async (tx) => {
    if (phone !== '') await changeFactorPhone(tx, factor.id, phone, call.now)
    if (body.friendly_name !== '') await renameFactor(tx, factor.id, body.friendly_name, call.now)
    const traits = { user_id: user.id, factor_id: factor.id, factor_type: factor.factor_type }
    await audit(tx, { actor: adminActor, action: 'factor_updated', traits }, call.now)
  })
  return json(presentFactor(factorOfPath(await userOfPath(deps, call), call)))
}
