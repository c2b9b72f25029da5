import type { Client } from '../_shared/clients.ts'
import { mailLanguage } from '../_shared/mail/language.ts'
import type { Mail } from '../_shared/mail/smtp.ts'
import { type InvitationRow, invitationPath, mailOf, offerOf } from './invitation-mail.ts'

/** Sends an invitation. @throws if it can't be sent. */
export type Deliver = (taken: InvitationRow, token: string) => Promise<void>

/** Sends through the project's mail server. @param site The app's address, from the settings. */
export const ownMailer =
  (send: (mail: Mail) => Promise<void>, site: string): Deliver =>
  (taken, token) =>
    send(mailOf(taken, token, site))

/** Sends through the auth service, for projects without a mail server for functions. A new address gets an invitation,
 *  which creates an unconfirmed account; an existing account gets a sign-in link. The templates (supabase/templates)
 *  read the offer from the account's metadata, which holds it only while the mail is made.
 *  @param site The app's address as given by the caller; the auth service checks it. Undefined for its default. */
export function authMailer(service: Client, visitor: Client, site: string | undefined): Deliver {
  const { admin } = service.auth
  const setOffer = async (account: string, invitation: object | null, locale?: string) => {
    const metadata = { invitation, ...(locale ? { locale } : {}) }
    const { error } = await admin.updateUserById(account, { user_metadata: metadata })
    if (error) throw error
  }
  return async (taken, token) => {
    const invitation = offerOf(taken)
    const locale = mailLanguage(taken.locale)
    const path = invitationPath(token, taken)
    if (taken.account !== null) {
      await setOffer(taken.account, invitation)
      try {
        const { error } = await visitor.auth.signInWithOtp({
          email: taken.email,
          options: { shouldCreateUser: false, ...(site ? { emailRedirectTo: callbackTo(site, path) } : {}) },
        })
        if (error) throw error
      } finally {
        await setOffer(taken.account, null)
      }
      return
    }
    // The auth service applies `data` to new accounts only, so set it for one that was invited before.
    if (taken.unconfirmed !== null) await setOffer(taken.unconfirmed, invitation, locale)
    const { data, error } = await admin.inviteUserByEmail(taken.email, {
      data: { locale, invitation },
      ...(site ? { redirectTo: site + path } : {}),
    })
    const account = data.user?.id ?? taken.unconfirmed
    if (account) await setOffer(account, null)
    if (error) throw error
  }
}

const callbackTo = (site: string, next: string): string => `${site}/auth/callback?${new URLSearchParams({ next })}`
