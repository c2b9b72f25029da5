/** Days before its day from which on a document is due; private.verification_due_days in the database is the same. */
const DUE_DAYS = 14
const DAY_MS = 86_400_000

export type VerificationState = 'valid' | 'due' | 'expired'

/** What a shelf can be narrowed to: what somebody should look at again soon, or what is verified today. */
export const VERIFICATION_FILTERS = ['due', 'valid'] as const

/** The day where the person is, `YYYY-MM-DD`. @param later Days after today. */
export function dayFromToday(later: number, now: number = Date.now()): string {
  const day = new Date(now + later * DAY_MS)
  return [day.getFullYear(), day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, '0')).join('-')
}

/** How a document stands that is verified until a day, `YYYY-MM-DD`. */
export function verificationState(until: string, now: number = Date.now()): VerificationState {
  if (until < dayFromToday(0, now)) return 'expired'
  return until <= dayFromToday(DUE_DAYS, now) ? 'due' : 'valid'
}
