import { createTransport } from 'nodemailer'
import type { Mail, MailSettings } from '../_shared/mail.ts'

/** Milliseconds to wait for a server that does not respond. */
const PATIENCE = 15_000

/** Sends a mail of plain text.
 *  @throws {Error} when the server cannot be reached or refuses the mail. */
export function mailer({ server, from }: MailSettings): (mail: Mail) => Promise<void> {
  const transport = createTransport(
    { url: server, connectionTimeout: PATIENCE, greetingTimeout: PATIENCE, socketTimeout: PATIENCE },
    { from },
  )
  return async (mail) => {
    await transport.sendMail(mail)
  }
}
