import { isDatabase, serviceClient } from '../_shared/clients.ts'
import { refusal } from '../_shared/errors.ts'
import { json, jsonAction } from '../_shared/http.ts'
import { mailer, mailSettings } from '../_shared/mail/smtp.ts'
import { Owed } from './notification-mail.ts'
import { mailNotifications } from './notifying.ts'

const settings = mailSettings((name) => Deno.env.get(name))

const mailWhatIsDue = jsonAction(async (_, request) => {
  const service = serviceClient()
  if (!(await isDatabase(service, request.headers.get('x-database-key')))) throw refusal('not_the_database')
  if (!settings) {
    await service.rpc('discard_notification_mails').throwOnError()
    return { mailed: 0 }
  }
  return await mailNotifications({
    take: async () => Owed.nullable().parse((await service.rpc('take_notification_mail').throwOnError()).data),
    send: mailer(settings),
    end: async (mail) => void (await service.rpc('end_notification_mail', { mail }).throwOnError()),
    site: settings.site,
    unsubscribe: `${Deno.env.get('SUPABASE_URL')}/functions/v1/unsubscribe`,
  })
})

/** POST: called by the database, with its key, when a mail is due. GET: reports whether this server sends mail. */
Deno.serve((request) => (request.method === 'GET' ? json({ mails: settings !== null }) : mailWhatIsDue(request)))
