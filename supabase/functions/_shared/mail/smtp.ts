import { createTransport } from 'nodemailer'
import type { Mail, MailSettings } from './settings.ts'

/** Milliseconds to wait for a server that does not respond. */
const TIMEOUT = 15_000

/** Sends a mail as plain text and as HTML.
 *  @throws {Error} when the server cannot be reached or refuses the mail. */
export function mailer({ server, from }: MailSettings): (mail: Mail) => Promise<void> {
  const transport = createTransport(
    { url: server, connectionTimeout: TIMEOUT, greetingTimeout: TIMEOUT, socketTimeout: TIMEOUT },
    // Otherwise automatic replies would go to the sender.
    { from, headers: { 'Auto-Submitted': 'auto-generated' } },
  )
  return async ({ to, ...mail }) => {
    // As an object the address is never read as a list of addresses.
    await transport.sendMail({ ...mail, to: { name: '', address: to } })
  }
}
