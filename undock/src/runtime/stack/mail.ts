import type { Config } from '../../config/config.ts'
import type { Mailer } from '../../kernel/mail-templates.ts'
import type { Clock } from '../../kernel/service.ts'
import type { MailService } from '../../mail/index.ts'
import { createSmtpMailer, type SmtpSettings } from '../../mail/mailer.ts'
import type { StackPlace } from '../place/place.ts'
import type { LogFiles } from './log-files.ts'

/** Starts the inbox that catches mails. */
export async function openInbox(
  { config, host, folders, claim, portOf }: StackPlace,
  { clock, logs }: { clock: Clock; logs: LogFiles },
): Promise<MailService> {
  const { startMail } = await import('../../mail/index.ts')
  const { port, smtp_port } = config.local_smtp
  return startMail({
    host,
    claimPort: claim,
    httpPort: portOf(port),
    smtpPort: smtp_port === 0 ? null : portOf(smtp_port),
    clock,
    log: logs.logOf('mail'),
    folder: folders.mail,
  })
}

/** Returns Auth's mailer: the SMTP server currently configured, else the inbox, with `[local_smtp]`'s sender. */
export function mailerOf({ auth, local_smtp }: Pick<Config, 'auth' | 'local_smtp'>, inbox: MailService | null): Mailer {
  let server: ReturnType<typeof createSmtpMailer> | null = null
  let settings: SmtpSettings | undefined
  return {
    async send(mail) {
      const { smtp } = auth.email
      if (smtp !== settings) {
        server?.close()
        server = smtp?.enabled ? createSmtpMailer(smtp) : null
        settings = smtp
      }
      if (server) return server.send(mail)
      if (!inbox)
        throw new Error('Mail is turned off: enable [local_smtp] or [auth.email.smtp] in supabase/config.toml')
      const { sender_name, admin_email } = local_smtp
      return inbox.mailer.send({ ...mail, from: `${JSON.stringify(sender_name)} <${admin_email}>` })
    },
  }
}
