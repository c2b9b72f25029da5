import { z } from 'zod'
import { type Client, serviceClient } from '../_shared/clients.ts'
import { refusal } from '../_shared/errors.ts'
import { jsonAction } from '../_shared/http.ts'
import { type Mail, mailer, mailSettings } from '../_shared/mail/smtp.ts'
import { MailRequest, mailOf } from './asking-mail.ts'

const Entered = z.object({ email: z.string(), account: z.guid().nullable(), unconfirmed: z.guid().nullable() })

/** Creates an account for an invited person. Only a reader of the mail has its key.
 *  @returns a token that signs in once, with `verifyOtp` of type `invite`.
 *  @throws {Refusal} 404 if the invitation isn't open or the key isn't from its newest mail; 409 if the address has an
 *  account: a key is valid for days and must not open one. */
async function enterInvitation(
  { token, key }: { token: string; key: string },
  service: Client,
): Promise<{ token_hash: string }> {
  const { data } = await service.rpc('enter_invitation', { token, key }).throwOnError()
  if (data === null) throw refusal('invitation_link_invalid')
  const { email, account, unconfirmed } = Entered.parse(data)
  if (account !== null) throw refusal('account_exists')
  // Someone else may have signed up with this address without confirming it: replace their password.
  if (unconfirmed !== null) {
    const { error } = await service.auth.admin.updateUserById(unconfirmed, { password: randomPassword() })
    if (error) throw error
  }
  const { data: link, error } = await service.auth.admin.generateLink({ type: 'invite', email })
  if (error?.code === 'email_exists' || error?.code === 'user_already_exists') throw refusal('account_exists')
  if (error) throw error
  return { token_hash: link.properties.hashed_token }
}

/** Returns 256 random bits, within bcrypt's 72 bytes, with every kind of character that a project may require. */
const randomPassword = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  return `aA1!${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

type Delivery = { readonly send: (mail: Mail) => Promise<void>; readonly site: string }

/** Notifies an owner, in the list of invitations and by mail, of a request to renew an expired link. Returns the same
 *  whether or not the link exists.
 *  @param delivery Null without a mail server. */
async function askForInvitation(token: string, service: Client, delivery: Delivery | null): Promise<{ asked: true }> {
  const { data } = await service.rpc('ask_for_invitation', { token }).throwOnError()
  if (data !== null && delivery) {
    try {
      await delivery.send(mailOf(MailRequest.parse(data), delivery.site))
    } catch (error) {
      console.warn('ask for an invitation by email:', error)
    }
  }
  return { asked: true }
}

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
