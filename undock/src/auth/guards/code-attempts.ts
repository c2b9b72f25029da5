import type { Clock } from '../../kernel/service.ts'
import type { User } from '../models/user.ts'
import type { BucketLimit, Buckets } from './buckets.ts'

/** Wrong attempts that a one-time code survives; after that the code counts as expired. Upstream has no such limit: it
 *  relies on the rate limits, which its local stack does not apply. */
const MAX_ATTEMPTS = 10

const CODES: BucketLimit = { name: 'codes', size: MAX_ATTEMPTS, perSecond: 0 }

/** Counts the attempts at codes that are short enough to guess. */
export type CodeAttempts = {
  /** Counts an attempt. Call it before the code is compared: simultaneous attempts are counted one by one.
   *  @returns false when the code has used up its attempts. */
  take(code: string): Promise<boolean>
  isSpent(code: string): Promise<boolean>
  /** Resets the count after a correct attempt. */
  forget(code: string): Promise<void>
}

/** @param buckets Where the attempts are counted. */
export const createCodeAttempts = (buckets: Buckets, clock: Clock): CodeAttempts => ({
  take: (code) => buckets.take(CODES, code, clock.now()),
  isSpent: async (code) => !(await buckets.has(CODES, code, clock.now())),
  forget: (code) => buckets.forget(CODES, code),
})

/** What a code was sent for: a user has one of each kind at a time. */
export type CodeKind = 'confirmation' | 'recovery' | 'email_change' | 'phone_change' | 'reauthentication'

/** The key of a user's current code; a code that is sent later has another key. */
export const codeKey = (user: User, kind: CodeKind): string =>
  `${kind} ${user.id} ${user[`${kind}_sent_at`]?.getTime() ?? 0}`
