import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { newTotpSecret } from '../credentials/one-time-codes.ts'
import type { AuthConfig, AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { type AuthenticatedCall, json } from '../http/call.ts'
import { factorOfPath } from '../http/caller.ts'
import { notify } from '../mail/messages.ts'
import { audit } from '../models/audit.ts'
import { deleteExpiredFactors, deleteFactor, insertFactor, type NewFactor } from '../models/factors.ts'
import { text, validPhone } from '../models/params.ts'
import { downgradeSessionsOfFactor } from '../models/sessions.ts'
import type { User } from '../models/user.ts'
import { reloadUser } from '../models/users.ts'
import { checkLeavesFactor } from './other-factors.ts'

export const EnrollFactor = z.object({ friendly_name: text, factor_type: text, issuer: text, phone: text })
type EnrollFactor = z.infer<typeof EnrollFactor>

const MAX_VERIFIED = 10

/** POST /factors @see supabase/auth internal/api/mfa.go, EnrollFactor */
export async function enrollFactor(deps: AuthDeps, call: AuthenticatedCall, body: EnrollFactor): Promise<Response> {
  if (!call.caller.session) throw authError('sessionNeeded')
  switch (body.factor_type) {
    case 'totp':
      if (!deps.config.mfa.totp.enroll_enabled) throw authError('totpEnrollDisabled')
      return enrollTotp(deps, call, body)
    case 'webauthn':
      if (!deps.config.mfa.web_authn.enroll_enabled) throw authError('webauthnEnrollDisabled')
      return enrollWebauthn(deps, call, body)
    case 'phone':
      if (!deps.config.mfa.phone.enroll_enabled) throw authError('phoneEnrollDisabled')
      return enrollPhone(deps, call, body)
    default:
      throw authError('factorType')
  }
}

async function enrollTotp(deps: AuthDeps, call: AuthenticatedCall, body: EnrollFactor): Promise<Response> {
  const issuer = body.issuer || siteHost(deps.config)
  const { secret, uri, qr_code } = await newTotpSecret(issuer, call.caller.user.email)
  const id = await addFactor(deps, call, { type: 'totp', name: body.friendly_name, secret })
  return json({ id, type: 'totp', friendly_name: body.friendly_name, totp: { qr_code, secret, uri } })
}

async function enrollWebauthn(deps: AuthDeps, call: AuthenticatedCall, body: EnrollFactor): Promise<Response> {
  const id = await addFactor(deps, call, { type: 'webauthn', name: body.friendly_name, secret: null })
  return json({ id, type: 'webauthn', friendly_name: body.friendly_name })
}

async function enrollPhone(deps: AuthDeps, call: AuthenticatedCall, body: EnrollFactor): Promise<Response> {
  if (body.phone === '') throw authError('factorPhoneMissing')
  const phone = validPhone(body.phone)
  const existing = call.caller.user.factors.filter((factor) => factor.factor_type === 'phone' && factor.phone === phone)
  if (existing.some(({ status }) => status === 'verified')) throw authError('factorPhoneTaken')
  for (const { id } of existing) await deleteFactor(deps.db, id)
  const id = await addFactor(deps, call, { type: 'phone', name: body.friendly_name, secret: null, phone })
  return json({ id, type: 'phone', friendly_name: body.friendly_name, phone: body.phone })
}

async function addFactor(deps: AuthDeps, call: AuthenticatedCall, factor: Omit<NewFactor, 'id'>): Promise<string> {
  const { now, client } = call
  const id = randomUUID()
  const user = await checkMayEnroll(deps, call, factor.name)
  await deps.db.transaction(async (tx) => {
    await insertFactor(tx, user.id, { id, ...factor }, now)
    const traits = { factor_id: id, factor_type: factor.type }
    await audit(tx, { actor: user, action: 'factor_in_progress', traits, address: client.address }, now)
  })
  return id
}

function siteHost({ site_url }: AuthConfig): string {
  const host = URL.parse(site_url)?.host
  if (!host) throw authError('siteUrlInvalid')
  return host
}

/** @returns the caller with their unexpired factors
 *  @throws `mfa_factor_name_conflict`, `too_many_enrolled_mfa_factors`, `insufficient_aal` */
export async function checkMayEnroll({ config, db }: AuthDeps, call: AuthenticatedCall, name: string): Promise<User> {
  const { caller, now } = call
  await deleteExpiredFactors(db, now)
  const user = await reloadUser(db, caller.user.id)
  const { factors } = user
  const verified = factors.filter(({ status }) => status === 'verified').length
  if (factors.some((factor) => (factor.friendly_name ?? '') === name)) throw authError('factorNameTaken', [name])
  if (factors.length >= config.mfa.max_enrolled_factors || verified >= MAX_VERIFIED) throw authError('factorsTooMany')
  if (verified > 0 && caller.session?.aal !== 'aal2') throw authError('enrollNeedsAal2')
  return user
}

/** DELETE /factors/{factor_id}: removing a verified factor requires an aal2 session. */
export async function unenrollFactor(deps: AuthDeps, call: AuthenticatedCall): Promise<Response> {
  const { user, session } = call.caller
  const { now, client } = call
  const factor = factorOfPath(user, call)
  if (!session) throw authError('sessionNeeded')
  if (factor.factor_type === 'recovery_code') throw authError('recoveryCodesUnenroll')
  if (factor.status === 'verified' && session.aal !== 'aal2') throw authError('unenrollNeedsAal2')
  await deps.db.transaction(async (tx) => {
    await checkLeavesFactor(tx, deps.config, user, factor)
    await deleteFactor(tx, factor.id)
    const traits = { factor_id: factor.id, factor_status: factor.status, session_id: session.id }
    await audit(tx, { actor: user, action: 'factor_unenrolled', traits, address: client.address }, now)
    await downgradeSessionsOfFactor(tx, user.id, factor, now)
  })
  await notify(deps, call, {
    kind: 'mfa_factor_unenrolled',
    to: user.email,
    user,
    details: { FactorType: factor.factor_type },
  })
  return json({ id: factor.id })
}
