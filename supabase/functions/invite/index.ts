import { z } from 'zod'
import { callerClient, serviceClient, visitorClient } from '../_shared/clients.ts'
import { Constants } from '../_shared/database.ts'
import { refusal } from '../_shared/errors.ts'
import { jsonAction } from '../_shared/http.ts'
import { MAIL_LANGUAGES } from '../_shared/mail/language.ts'
import { mailer, mailSettings } from '../_shared/mail/smtp.ts'
import { authMailer, ownMailer } from './deliveries.ts'
import { invite } from './invitation.ts'

const Body = z.object({
  library: z.guid(),
  email: z.email().max(254),
  role: z.enum(Constants.public.Enums.member_role),
  collection: z.guid().optional(),
  collection_role: z.enum(['reader', 'editor']).optional(),
  /** The mail's language if the account hasn't chosen one. */
  locale: z.enum(MAIL_LANGUAGES).default('en'),
  /** The app's address for the auth service's mail, which that service checks against its allow-list. */
  site: z.url({ protocol: /^https?$/ }).optional(),
})

Deno.serve(
  jsonAction(async (body, request) => {
    const input = Body.safeParse(body)
    if (input.error?.issues.every(({ path }) => path[0] === 'email')) throw refusal('email_invalid')
    if (!input.success) throw refusal('request_invalid', { usage: 'Send { "library", "email", "role" }.' })
    const { site, ...invitation } = input.data
    const settings = mailSettings((name) => Deno.env.get(name))
    const service = serviceClient()
    const deliver = settings
      ? ownMailer(mailer(settings), settings.site)
      : authMailer(service, visitorClient(), site && new URL(site).origin)
    return await invite(invitation, { caller: callerClient(request), service, deliver })
  }),
)
