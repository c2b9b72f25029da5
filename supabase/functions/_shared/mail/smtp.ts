import { createTransport } from 'nodemailer'
import type { Mail, MailSettings } from './settings.ts'

const TIMEOUT = 15_000

/** Returns a function that sends a mail as plain text and HTML.
 *  @throws {Error} if the server can't be reached or refuses the mail. */
export function mailer({ server, from }: MailSettings): (mail: Mail) => Promise<void> {
  const transport = createTransport(
    { url: server, connectionTimeout: TIMEOUT, greetingTimeout: TIMEOUT, socketTimeout: TIMEOUT },
    // Keeps automatic replies away from the sender.
    { from, headers: { 'Auto-Submitted': 'auto-generated' } },
  )
  return async ({ to, ...mail }) => {
    // As an object, the address is never parsed as a list.
    await transport.sendMail({ ...mail, to: { name: '', address: to } })
  }
}
