import type { Mail } from '../_shared/mail/smtp.ts'
import { mailOf, type Owed } from './notification-mail.ts'

export type NotifyingDeps = {
  /** Returns the next due mail, or null. */
  readonly take: () => Promise<Owed | null>
  readonly send: (mail: Mail) => Promise<void>
  readonly end: (mail: string) => Promise<void>
  readonly site: string
  readonly unsubscribe: string
  readonly now?: () => number
}

/** Milliseconds after which no mail is started: the database calls again, and functions are stopped after some minutes. */
const BUDGET = 45_000
/** Consecutive failures after which the mail server counts as down. */
const MAX_FAILURES = 3

/** Sends due mails one by one. Each is completed once the mail server has accepted it, so a stopped call doesn't send
 *  it again. The database returns a failed mail up to five times. */
export async function mailNotifications(deps: NotifyingDeps): Promise<{ mailed: number }> {
  const { take, send, end, now = Date.now } = deps
  const start = now()
  let mailed = 0
  let failures = 0
  while (failures < MAX_FAILURES && now() - start < BUDGET) {
    const owed = await take()
    if (owed === null) break
    try {
      await send(mailOf(owed, deps))
    } catch (error) {
      console.warn('notifications by email:', error)
      failures += 1
      continue
    }
    failures = 0
    await end(owed.mail)
    mailed += 1
  }
  return { mailed }
}
