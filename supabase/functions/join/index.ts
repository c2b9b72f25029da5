import { z } from 'zod'
import { serviceClient } from '../_shared/clients.ts'
import { refusal } from '../_shared/errors.ts'
import { jsonAction } from '../_shared/http.ts'
import { mailer, mailSettings } from '../_shared/mail/smtp.ts'
import { askForInvitation, enterInvitation } from './joining.ts'

const Token = z.string().min(1).max(200)
const Entry = z.object({ token: Token, key: Token })
const Question = z.object({ token: Token, ask: z.literal(true) })

Deno.serve(
  jsonAction(async (body) => {
    const entry = Entry.safeParse(body)
    if (entry.success) return await enterInvitation(entry.data, serviceClient())
    const question = Question.safeParse(body)
    if (!question.success)
      throw refusal('request_invalid', { usage: 'Send { "token", "key" }, or { "token", "ask": true }.' })
    const settings = mailSettings((name) => Deno.env.get(name))
    const delivery = settings && { send: mailer(settings), site: settings.site }
    return await askForInvitation(question.data.token, serviceClient(), delivery)
  }),
)
