import type { User } from '../models/user.ts'

/** Wrong attempts that a one-time code survives; after that the code counts as expired. Upstream has no such limit: it
 *  relies on the rate limits, which its local stack does not apply. */
const MAX_ATTEMPTS = 10

/** Codes that are remembered at most; beyond this the least recently tried one is dropped. */
const MAX_CODES = 10_000

/** Counts the attempts at codes that are short enough to guess. */
export type CodeAttempts = {
  /** Counts an attempt. Call it before the code is compared: simultaneous attempts are counted one by one.
   *  @returns false when the code has used up its attempts. */
  take(code: string): boolean
  isSpent(code: string): boolean
  /** Resets the count after a correct attempt. */
  forget(code: string): void
}

export function createCodeAttempts(): CodeAttempts {
  const tries = new Map<string, number>()
  return {
    take(code) {
      const before = tries.get(code) ?? 0
      if (before >= MAX_ATTEMPTS) return false
      // Deleted and set again, so that the map is ordered by last attempt.
      tries.delete(code)
      tries.set(code, before + 1)
      const [oldest] = tries.keys()
      if (tries.size > MAX_CODES && oldest !== undefined) tries.delete(oldest)
      return true
    },
    isSpent: (code) => (tries.get(code) ?? 0) >= MAX_ATTEMPTS,
    forget: (code) => void tries.delete(code),
  }
}

/** What a code was sent for: a user has one of each kind at a time. */
export type CodeKind = 'confirmation' | 'recovery' | 'email_change' | 'phone_change' | 'reauthentication'

/** The key of a user's current code; a code that is sent later has another key. */
export const codeKey = (user: User, kind: CodeKind): string =>
  `${kind} ${user.id} ${user[`${kind}_sent_at`]?.getTime() ?? 0}`
