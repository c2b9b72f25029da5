/** Days before the date from which a document is due; the same as private.verification_due_days in the database. */
const DUE_DAYS = 14
const DAY_MS = 86_400_000

export type VerificationState = 'valid' | 'due' | 'expired'

/** Returns the local date, `YYYY-MM-DD`. @param later Days after today. */
export function dayFromToday(later: number, now: number = Date.now()): string {
  const day = new Date(now + later * DAY_MS)
  return [day.getFullYear(), day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, '0')).join('-')
}

export function verificationState(until: string, now: number = Date.now()): VerificationState {
  if (until < dayFromToday(0, now)) return 'expired'
  return until <= dayFromToday(DUE_DAYS, now) ? 'due' : 'valid'
}
