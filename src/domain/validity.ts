import { formatDate } from '../lib/i18n/format.ts'
import { t } from '../lib/i18n/i18n.ts'
import { DAY_MS } from './day-range.ts'

/** Days before the date from which a document is due; the same as private.verification_due_days in the database. */
const DUE_DAYS = 14

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

/** Something that works until a time or until it is revoked: an API key, a share link. */
type Revocable = { readonly expires_at: string | null; readonly revoked_at: string | null }

/** Whether it still works. */
export const isLive = ({ expires_at, revoked_at }: Revocable): boolean =>
  revoked_at === null && (expires_at === null || Date.parse(expires_at) > Date.now())

/** Says until when it works or worked. */
export function expiryText(one: Revocable): string {
  if (one.revoked_at) return t('revoked on {date}', { date: formatDate(one.revoked_at) })
  if (!one.expires_at) return t('works until it is revoked')
  const date = formatDate(one.expires_at)
  return isLive(one) ? t('works until {date}', { date }) : t('expired on {date}', { date })
}
