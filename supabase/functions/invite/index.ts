import { z } from 'zod'
import { type Client, callerClient, serviceClient, visitorClient } from '../_shared/clients.ts'
import { Constants } from '../_shared/database.ts'
import { refusal, refusalFrom } from '../_shared/errors.ts'
import { jsonAction } from '../_shared/http.ts'
import { MAIL_LANGUAGES } from '../_shared/mail/language.ts'
import { mailer, mailSettings } from '../_shared/mail/smtp.ts'
import { authMailer, type Deliver, ownMailer } from './deliveries.ts'
import { InvitationRow } from './invitation-mail.ts'

type InvitationInput = {
  readonly library: string
  readonly email: string
  readonly role: 'guest' | 'reader' | 'editor' | 'owner'
  readonly collection?: string | undefined
  readonly collection_role?: 'reader' | 'editor' | undefined
  readonly locale: string
}

type InviteDeps = {
  /** Has the caller's rights: the database decides whether they may invite. */
  readonly caller: Client
  readonly service: Client
  readonly deliver: Deliver
}

type InvitationOutcome = {
  readonly id: string
  /** Returned only here: the database stores a hash. */
  readonly token: string
  readonly expires_at: string
  /** `limited`: too many mails within the hour; `failed`: the mail couldn't be sent. The invitation is valid in both
   *  cases, and its link can be shared another way. */
  readonly mail: 'sent' | 'limited' | 'failed'
}

const Made = z.object({ id: z.guid(), token: z.string(), expires_at: z.string() })
const Limited = z.object({ limited: z.literal(true) })

/** Creates an invitation and mails its link.
 *  @throws {Refusal} if the caller may not invite, or the address is already a member. */
async function invite(input: InvitationInput, { caller, service, deliver }: InviteDeps): Promise<InvitationOutcome> {
  const { data, error } = await caller.rpc('invite_member', input)
  if (error) throw refusalFrom(error) ?? error
  const made = Made.parse(data)
  const taken = await service.rpc('take_invitation_mail', { invitation: made.id }).throwOnError()
  if (Limited.safeParse(taken.data).success) return { ...made, mail: 'limited' }
  try {
    await deliver(InvitationRow.parse(taken.data), made.token)
    return { ...made, mail: 'sent' }
  } catch (error) {
    console.warn('invite by email:', error)
    return { ...made, mail: 'failed' }
  }
}

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
