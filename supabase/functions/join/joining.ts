import { z } from 'zod'
import type { Client } from '../_shared/clients.ts'
import { refusal } from '../_shared/errors.ts'
import type { Mail } from '../_shared/mail/settings.ts'
import { MailRequest, mailOf } from './asking-mail.ts'

const Entered = z.object({ email: z.string(), account: z.guid().nullable(), unconfirmed: z.guid().nullable() })

/** Creates the account of somebody who opened the mail of an invitation. Whoever has its key has read that mail.
 *  @returns a token that signs in to the account, once, by `verifyOtp` of the type `invite`.
 *  @throws {Refusal} 404 when the invitation is not open or the key is not that of its newest mail, 409 when the address has an
 *  account: a key is valid for days, so it must not open one. */
export async function enterInvitation(
  { token, key }: { token: string; key: string },
  service: Client,
): Promise<{ token_hash: string }> {
  const { data } = await service.rpc('enter_invitation', { token, key }).throwOnError()
  if (data === null) throw refusal('invitation_link_invalid')
  const { email, account, unconfirmed } = Entered.parse(data)
  if (account !== null) throw refusal('account_exists')
  // Somebody else may have signed up with this address and waits for it to be confirmed: their password ends here.
  if (unconfirmed !== null) {
    const { error } = await service.auth.admin.updateUserById(unconfirmed, { password: randomPassword() })
    if (error) throw error
  }
  const { data: link, error } = await service.auth.admin.generateLink({ type: 'invite', email })
  if (error?.code === 'email_exists' || error?.code === 'user_already_exists') throw refusal('account_exists')
  if (error) throw error
  return { token_hash: link.properties.hashed_token }
}

/** 256 random bits, within bcrypt's 72 bytes, and one of every kind of character that a project may require. */
const randomPassword = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  return `aA1!${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

export type Delivery = { readonly send: (mail: Mail) => Promise<void>; readonly site: string }

/** Tells an owner of the library that somebody asks for a new link in place of an expired one: in the list of invitations, and by
 *  mail. Returns the same whether or not there was anything to tell.
 *  @param delivery Null when there is no mail server. */
export async function askForInvitation(
  token: string,
  service: Client,
  delivery: Delivery | null,
): Promise<{ asked: true }> {
  const { data } = await service.rpc('ask_for_invitation', { token }).throwOnError()
  if (data !== null && delivery) {
    try {
      await delivery.send(mailOf(MailRequest.parse(data), delivery.site))
    } catch (error) {
      console.warn('ask for an invitation by mail:', error)
    }
  }
  return { asked: true }
}
