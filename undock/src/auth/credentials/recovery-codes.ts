import { randomBase32 } from './one-time-codes.ts'

/** Loaded with the first code, not with every start. It hashes on threads of its own. */
const argon2 = () => import('@node-rs/argon2')

/** Upstream's defaults for the number of codes and their length: 80 random bits each. */
const COUNT = 10
const LENGTH = 16

/** Upstream's parameters of Argon2id, so that codes survive a move between the two; memory in KiB.
 *  @see supabase/auth internal/crypto/recovery_codes.go */
const COST = { memoryCost: 19_456, timeCost: 1, parallelism: 1 }

export type NewRecoveryCodes = { readonly codes: readonly string[]; readonly hashes: readonly string[] }

export async function newRecoveryCodes(): Promise<NewRecoveryCodes> {
  const { hash } = await argon2()
  const codes = Array.from({ length: COUNT }, () => randomBase32(LENGTH))
  const hashes: string[] = []
  // One after the other: each takes 19 MiB.
  for (const code of codes) hashes.push(await hash(code, COST))
  return { codes, hashes }
}

/** As codes are hashed: people type capitals, blanks and hyphens. */
export const normalizeRecoveryCode = (typed: string): string => typed.replace(/[\s-]/g, '').toLowerCase()

/** The most that checking a stored hash may cost; memory in KiB. */
const MAX_MEMORY = 1024 * 1024
const MAX_TIME = 20

/** False also for what is no hash, or one that takes too much to check. */
export async function recoveryCodeMatches(stored: string, code: string): Promise<boolean> {
  const { parseOptions, verify } = await argon2()
  try {
    const { memoryCost, timeCost } = parseOptions(stored)
    return memoryCost <= MAX_MEMORY && timeCost <= MAX_TIME && (await verify(stored, code))
  } catch {
    return false
  }
}
