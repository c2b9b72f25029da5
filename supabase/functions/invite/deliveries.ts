import type { Client } from '../_shared/clients.ts'
import { mailLanguage } from '../_shared/mail/language.ts'
import type { Mail } from '../_shared/mail/settings.ts'
import { invitationPath, mailOf, offerOf, type Taken } from './invitation-mail.ts'

/** Sends the mail of an invitation. @throws when it cannot be sent. */
export type Deliver = (taken: Taken, token: string) => Promise<void>

/** Sends it through the project's mail server. @param site The address of the app, from the settings. */
export const ownMailer =
  (send: (mail: Mail) => Promise<void>, site: string): Deliver =>
  (taken, token) =>
    send(mailOf(taken, token, site))

/** Has the auth service send it, for a project without a mail server of its own for functions: to a new address as an invitation,
 *  which creates an unconfirmed account; to an address with an account as a sign-in link. Its templates (supabase/templates) read
 *  the offer in the account's metadata, where it is only while the mail is made.
 *  @param site The address of the app as the caller names it; the auth service checks it. Undefined: the service's own. */
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
    // The auth service takes `data` for a new account only; an account that was invited before gets it this way.
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
