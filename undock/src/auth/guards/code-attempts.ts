import type { Clock } from '../../kernel/service.ts'
import type { User } from '../models/user.ts'
import type { BucketLimit, Buckets } from './buckets.ts'

/** Wrong attempts before a one-time code counts as expired. Upstream relies on rate limits, off in its local stack. */
const MAX_ATTEMPTS = 10

const CODES: BucketLimit = { name: 'codes', size: MAX_ATTEMPTS, perSecond: 0 }

/** Counts attempts at codes that are short enough to guess. */
export type CodeAttempts = {
  /** Counts an attempt. Call it before comparing the code, so that parallel attempts are counted one by one.
   *  @returns false if the code has used up its attempts. */
  take(code: string): Promise<boolean>
  isSpent(code: string): Promise<boolean>
  forget(code: string): Promise<void>
}

export const createCodeAttempts = (buckets: Buckets, clock: Clock): CodeAttempts => ({
  take: (code) => buckets.take(CODES, code, clock.now()),
  isSpent: async (code) => !(await buckets.has(CODES, code, clock.now())),
  forget: (code) => buckets.forget(CODES, code),
})

export type CodeKind = 'confirmation' | 'recovery' | 'email_change' | 'phone_change' | 'reauthentication'

/** Returns the key of a user's current code; later codes have other keys. */
export const codeKey = (user: User, kind: CodeKind): string =>
  `${kind} ${user.id} ${user[`${kind}_sent_at`]?.getTime() ?? 0}`
