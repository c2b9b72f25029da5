import type { Mail } from '../_shared/mail/settings.ts'
import { mailOf, type Owed } from './notification-mail.ts'

export type NotifyingDeps = {
  /** The next mail that is due; null when there is none. */
  readonly take: () => Promise<Owed | null>
  readonly send: (mail: Mail) => Promise<void>
  /** Notes that a mail was sent. */
  readonly end: (mail: string) => Promise<void>
  /** The address of the app. */
  readonly site: string
  /** The address of the function that turns mails off. */
  readonly unsubscribe: string
  /** In milliseconds. */
  readonly now?: () => number
}

/** Milliseconds after which no further mail is begun: the database calls again, and a function is stopped after some minutes. */
const BUDGET = 45_000
/** Mails in a row that cannot be sent until the mail server counts as out of order. */
const MOST_FAILURES = 3

/** Sends the mails that are due, one after the other. Each is ended when the mail server has it, so what a call that is stopped
 *  has sent is not sent again. A mail that cannot be sent is given out again by the database, five times in all. */
export async function mailNotifications(deps: NotifyingDeps): Promise<{ mailed: number }> {
  const { take, send, end, now = Date.now } = deps
  const start = now()
  let mailed = 0
  let failures = 0
  while (failures < MOST_FAILURES && now() - start < BUDGET) {
    const owed = await take()
    if (owed === null) break
    try {
      await send(mailOf(owed, deps))
    } catch (error) {
      console.warn('notifications by mail:', error)
      failures += 1
      continue
    }
    failures = 0
    await end(owed.mail)
    mailed += 1
  }
  return { mailed }
}
