import { z } from 'zod'
import { callerClient, serviceClient } from '../_shared/clients.ts'
import { jsonAction, Refusal } from '../_shared/http.ts'
import { mailSettings } from '../_shared/mail/settings.ts'
import { mailer } from '../_shared/mail/smtp.ts'
import { mailMentions } from './mentioning.ts'

const Body = z.object({ comment_id: z.guid() })

Deno.serve(
  jsonAction(async (body, request) => {
    const wish = Body.safeParse(body)
    if (!wish.success) throw new Refusal(400, 'Send { "comment_id": "<uuid>" }.')
    const settings = mailSettings((name) => Deno.env.get(name))
    if (!settings) return { mailed: 0 }
    return await mailMentions(wish.data.comment_id, {
      caller: callerClient(request),
      service: serviceClient(),
      send: mailer(settings),
      site: settings.site,
    })
  }),
)
