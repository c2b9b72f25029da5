import { createTransport } from 'nodemailer'

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

export type Mail = {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly messageId?: string
  readonly headers?: Readonly<Record<string, string>>
}

type MailSettings = {
  /** smtp://user:password@host:port, or smtps:// for implicit TLS (port 465, which hosted functions may reach). */
  readonly server: string
  readonly from: string
  /** The app's address, the base of all links in mails. */
  readonly site: string
}

/** Returns null if no mail server is configured; then no mail is sent. */
export function mailSettings(get: (name: string) => string | undefined): MailSettings | null {
  const [server, from, site] = [get('MAIL_SERVER'), get('MAIL_FROM'), get('SITE_URL')]
  return server && from && site ? { server, from, site: site.replace(/\/+$/, '') } : null
}
