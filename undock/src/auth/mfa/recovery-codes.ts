// One-time codes for users who lost their second factor.
// @see supabase/auth internal/api/recovery_codes.go
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { randomBase32 } from '../credentials/one-time-codes.ts'
import type { AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { upgradeSession } from '../flows/session-upgrade.ts'
import { parseBody, readText } from '../http/body.ts'
import { type AuthenticatedCall, json } from '../http/call.ts'
import { notify } from '../mail/messages.ts'
import { audit } from '../models/audit.ts'
import { deleteFactor, insertFactor } from '../models/factors.ts'
import { text } from '../models/params.ts'
import {
  consumeRecoveryCode,
  countRecoveryCodes,
  countWrongCode,
  findRecoveryCodeSet,
  findUnusedCodes,
  forgetWrongCodes,
  insertRecoveryCodes,
  isLocked,
  lockRecoveryCodeSet,
  type RecoveryCodeSet,
  replaceRecoveryCodes,
} from '../models/recovery-codes.ts'
import { downgradeSessionsOfFactor, type Session } from '../models/sessions.ts'
import type { Factor } from '../models/user.ts'
import { callFactorAttemptHook } from './challenges.ts'
import { checkMayEnroll } from './enroll.ts'
import { hasOtherFactor } from './other-factors.ts'

/** Loaded with the first code, not at every start. Hashes on its own threads. */
const argon2 = () => import('@node-rs/argon2')

/** Upstream's defaults: number of codes, and their length (80 random bits each). */
const COUNT = 10
const LENGTH = 16

/** Upstream's Argon2id parameters, so that codes can move between the two; memory in KiB.
 *  @see supabase/auth internal/crypto/recovery_codes.go */
const COST = { memoryCost: 19_456, timeCost: 1, parallelism: 1 }

type NewRecoveryCodes = { readonly codes: readonly string[]; readonly hashes: readonly string[] }

async function newRecoveryCodes(): Promise<NewRecoveryCodes> {
  const { hash } = await argon2()
  const codes = Array.from({ length: COUNT }, () => randomBase32(LENGTH))
  const hashes: string[] = []
  // Sequential, because each takes 19 MiB.
  for (const code of codes) hashes.push(await hash(code, COST))
  return { codes, hashes }
}

/** Users type capitals, blanks and hyphens. */
const normalizeRecoveryCode = (typed: string): string => typed.replace(/[\s-]/g, '').toLowerCase()

const MAX_MEMORY = 1024 * 1024
const MAX_TIME = 20

/** Also false for invalid hashes, and those too expensive to check. */
export async function recoveryCodeMatches(stored: string, code: string): Promise<boolean> {
  const { parseOptions, verify } = await argon2()
  try {
    const { memoryCost, timeCost } = parseOptions(stored)
    return memoryCost <= MAX_MEMORY && timeCost <= MAX_TIME && (await verify(stored, code))
  } catch {
    return false
  }
}

/** GET /factors/recovery-codes */
export async function recoveryCodesStatus({ db }: AuthDeps, { caller }: AuthenticatedCall): Promise<Response> {
  const set = await findRecoveryCodeSet(db, caller.user.id)
  if (!set) throw authError('recoveryCodesUnknown')
  return json({ id: set.mfa_factor_id, type: 'recovery_code', ...(await countRecoveryCodes(db, set.id)) })
}

const Generate = z.object({ friendly_name: text })

/** POST /factors/recovery-codes: only this answer contains the codes; only their hashes are stored. */
export async function generateRecoveryCodes(deps: AuthDeps, call: AuthenticatedCall): Promise<Response> {
  const { caller, now, client } = call
  const session = sessionOf(call)
  if (!deps.config.mfa.recovery_codes.enroll_enabled) throw authError('recoveryCodesEnrollDisabled')
  const { friendly_name: asked } = parseBody((await readText(call.request)) || '{}', Generate)
  requireAal2(session, 'generate')
  if (await findRecoveryCodeSet(deps.db, caller.user.id)) throw authError('recoveryCodesExist')
  const name = asked.trim() === '' ? 'Recovery codes' : asked
  const user = await checkMayEnroll(deps, call, name)
  if (!hasOtherFactor(deps.config, user)) throw authError('recoveryCodesAlone')
  const { codes, hashes } = await newRecoveryCodes()
  const id = randomUUID()
  await deps.db.transaction(async (tx) => {
    await insertFactor(tx, user.id, { id, type: 'recovery_code', name, secret: null, status: 'verified' }, now)
    await insertRecoveryCodes(tx, { userId: user.id, factorId: id, hashes, now })
    const traits = { factor_id: id, count: codes.length }
    await audit(tx, { actor: user, action: 'recovery_codes_generated', traits, address: client.address }, now)
  })
  const details = { FactorType: 'recovery_code' }
  await notify(deps, call, { kind: 'mfa_factor_enrolled', to: user.email, user, details })
  return json({ id, type: 'recovery_code', friendly_name: name, total: codes.length, codes })
}

/** POST /factors/recovery-codes/regenerate: replaces the codes. */
export async function regenerateRecoveryCodes(deps: AuthDeps, call: AuthenticatedCall): Promise<Response> {
  const { user } = call.caller
  const session = sessionOf(call)
  if (!deps.config.mfa.recovery_codes.enroll_enabled) throw authError('recoveryCodesEnrollDisabled')
  requireAal2(session, 'regenerate')
  const { factor } = await findCodes(deps, call)
  const { codes, hashes } = await newRecoveryCodes()
  await deps.db.transaction(async (tx) => {
    const set = await lockRecoveryCodeSet(tx, user.id)
    if (!set) throw authError('recoveryCodesUnknown')
    await replaceRecoveryCodes(tx, set.id, hashes, call.now)
    const traits = { factor_id: factor.id, count: codes.length }
    const entry = { actor: user, action: 'recovery_codes_regenerated', traits, address: call.client.address } as const
    await audit(tx, entry, call.now)
  })
  const { id, friendly_name } = factor
  return json({ id, type: 'recovery_code', friendly_name, total: codes.length, codes })
}

export const VerifyRecoveryCode = z.object({ code: text })

/** POST /factors/recovery-codes/verify: raises the session to `aal2` and uses the code up. */
export async function verifyRecoveryCode(
  deps: AuthDeps,
  call: AuthenticatedCall,
  body: z.infer<typeof VerifyRecoveryCode>,
): Promise<Response> {
  const { user } = call.caller
  const session = sessionOf(call)
  if (!deps.config.mfa.recovery_codes.verify_enabled) throw authError('recoveryCodesVerifyDisabled')
  const code = normalizeRecoveryCode(body.code)
  if (code === '') throw authError('codeMissing')
  const { set, factor } = await findCodes(deps, call, 'recoveryCodeInvalid')
  if (isLocked(set, call.now)) throw authError('recoveryCodesLocked')
  const matchId = await findMatch(deps, set, code)
  await callFactorAttemptHook(deps, call, { factor, valid: matchId !== null })
  if (matchId === null) {
    await countWrongCode(deps.db, set.id, call.now)
    throw authError('recoveryCodeInvalid')
  }
  const response = await upgradeSession(deps, call, { user, session, factor }, async (tx) => {
    const locked = await lockRecoveryCodeSet(tx, user.id)
    if (locked && isLocked(locked, call.now)) throw authError('recoveryCodesLocked')
    if (!(await consumeRecoveryCode(tx, matchId, call.now))) throw authError('recoveryCodeInvalid')
    await forgetWrongCodes(tx, set.id, call.now)
    const { remaining } = await countRecoveryCodes(tx, set.id)
    const traits = { factor_id: factor.id, remaining }
    const entry = { actor: user, action: 'recovery_codes_verified', traits, address: call.client.address } as const
    await audit(tx, entry, call.now)
  })
  return json(response)
}

/** Compares with every code, so that the response time doesn't depend on which one matches. */
async function findMatch({ db }: AuthDeps, set: RecoveryCodeSet, code: string): Promise<string | null> {
  let matchId: string | null = null
  for (const { id, code_hash } of await findUnusedCodes(db, set.id)) {
    if (await recoveryCodeMatches(code_hash, code)) matchId = id
  }
  return matchId
}

/** DELETE /factors/recovery-codes */
export async function deleteRecoveryCodes(deps: AuthDeps, call: AuthenticatedCall): Promise<Response> {
  const { user } = call.caller
  requireAal2(sessionOf(call), 'delete')
  const { factor } = await findCodes(deps, call)
  const traits = { factor_id: factor.id }
  await deps.db.transaction(async (tx) => {
    await deleteFactor(tx, factor.id)
    const entry = { actor: user, action: 'recovery_codes_deleted', traits, address: call.client.address } as const
    await audit(tx, entry, call.now)
    await downgradeSessionsOfFactor(tx, user.id, factor, call.now)
  })
  const details = { FactorType: factor.factor_type }
  await notify(deps, call, { kind: 'mfa_factor_unenrolled', to: user.email, user, details })
  return json({ id: factor.id })
}

function sessionOf({ caller: { session } }: AuthenticatedCall): Session {
  if (!session) throw authError('sessionNeeded')
  return session
}

function requireAal2({ aal }: Session, action: 'generate' | 'regenerate' | 'delete'): void {
  if (aal !== 'aal2') throw authError('recoveryCodesNeedAal2', [action])
}

async function findCodes(
  { db }: AuthDeps,
  { caller: { user } }: AuthenticatedCall,
  refusal: 'recoveryCodesUnknown' | 'recoveryCodeInvalid' = 'recoveryCodesUnknown',
): Promise<{ readonly set: RecoveryCodeSet; readonly factor: Factor }> {
  const set = await findRecoveryCodeSet(db, user.id)
  const factor = user.factors.find(({ id }) => id === set?.mfa_factor_id)
  if (!set || !factor) throw authError(refusal)
  return { set, factor }
}
