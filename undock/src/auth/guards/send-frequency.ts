import { authError } from '../errors.ts'

/** @param frequency Seconds between two messages to a user. @throws `over_email_send_rate_limit` */
export function checkMailFrequency(sentAt: Date | null, frequency: number, now: Date): void {
  const left = secondsLeft(sentAt, frequency, now)
  if (left > 0) throw authError('mailTooSoon', [Math.trunc(left)])
}

export function checkSmsFrequency(sentAt: Date | null, frequency: number, now: Date): void {
  const left = secondsLeft(sentAt, frequency, now)
  if (left > 0) throw authError('smsTooSoon', [Math.trunc(left)])
}

const secondsLeft = (sentAt: Date | null, frequency: number, now: Date): number =>
  sentAt === null ? 0 : (sentAt.getTime() - now.getTime()) / 1000 + frequency
