import type { Transporter } from 'nodemailer'
import type { Config } from '../config/config.ts'
import type { Mail, Mailer } from '../kernel/mail-templates.ts'
import type { Inbox } from './inbox.ts'

/** Loaded with the first mail, not at every start. */
const nodemailer = () => import('nodemailer')

/** Delivers mails directly to the inbox, without a connection. */
export function createInboxMailer(inbox: Inbox): Mailer {
  return {
    async send(mail) {
      const { createTransport } = await nodemailer()
      const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
      const { message, envelope } = await composer.sendMail(toMessage(mail))
      const from = typeof envelope.from === 'string' ? envelope.from : ''
      await inbox.add(message as Buffer, { from, to: [envelope.to].flat() })
    },
  }
}

export type SmtpSettings = NonNullable<Config['auth']['email']['smtp']>

/** Sends through a real server, with TLS from the first byte on port 465, otherwise with STARTTLS where the server
 *  offers it. `send` rejects with the server's refusal. */
export function createSmtpMailer({ host, port, user, pass }: SmtpSettings): Mailer & { close(): void } {
  let transport: Transporter | undefined
  return {
    async send(mail) {
      const { createTransport } = await nodemailer()
      transport ??= createTransport({ host, port, secure: port === 465, auth: { user, pass } })
      await transport.sendMail(toMessage(mail))
    },
    close: () => transport?.close(),
  }
}

/** Addresses are passed as text and parsed by nodemailer, which also refuses line breaks in them.
 *  A mail must not name files or URLs whose content would be included. */
const toMessage = ({ from, to, subject, html, text }: Mail) => ({
  from,
  to,
  subject,
  html,
  ...(text === undefined ? {} : { text }),
  disableFileAccess: true,
  disableUrlAccess: true,
})
