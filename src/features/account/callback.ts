import type { AuthError, EmailOtpType, User } from '@supabase/supabase-js'
import * as z from 'zod/mini'
import { describeAuthCode, describeAuthError } from '../../domain/auth-messages.ts'
import { isCompanyAccount } from '../../domain/company-account.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { nextPath } from '../../lib/session/next-path.ts'
import { type CallbackSearch, TOKEN_TYPES } from './callback-search.ts'

/** `confirm`: requires a button press, because link scanners would use up the token, and another person's link would
 *  replace the session unnoticed. */
export type CallbackOutcome = { goTo: string } | { problem: string } | { said: string } | { confirm: MailedToken }

type CallbackAuth = {
  exchangeCodeForSession(code: string): Promise<{
    data: { user?: Pick<User, 'app_metadata'> | null; redirectType?: string | null }
    error: AuthError | null
  }>
}

type SignedIn = Promise<{ data: { session: object | null }; error: AuthError | null }>
type TokenAuth = {
  verifyOtp(params: { token_hash: string; type: EmailOtpType }): SignedIn
  setSession(tokens: { access_token: string; refresh_token: string }): SignedIn
}

/** A link requested elsewhere, such as an invitation, may have a session instead: there is no verifier for a code here. */
const MailedToken = z.union([
  z.object({ token_hash: z.string(), type: z.enum(TOKEN_TYPES) }),
  z.object({ access_token: z.string(), refresh_token: z.string(), type: z.enum(['invite', 'magiclink']) }),
])
export type MailedToken = z.infer<typeof MailedToken>

const joinCompany = async () => (await import('./join-by-company.ts')).joinByCompany()

/** Completes a mailed link or a provider's redirect.
 *  @param search The query, @param hash the fragment: errors come in either.
 *  @param join Joins a company's libraries and returns their ids. */
export async function finishCallback(
  search: CallbackSearch,
  hash: string,
  auth: CallbackAuth = supabase.auth,
  join: () => Promise<string[]> = joinCompany,
): Promise<CallbackOutcome> {
  const fragment = new URLSearchParams(hash.replace(/^#/, ''))
  const errorCode = search.error_code ?? fragment.get('error_code') ?? search.error ?? fragment.get('error')
  if (errorCode) return { problem: describeAuthCode(errorCode) }
  if (search.code) {
    const { data, error } = await auth.exchangeCodeForSession(search.code)
    if (error) return { problem: describeAuthError(error) }
    if (data.redirectType === 'recovery') return { goTo: '/reset-password' }
    const next = nextPath(search.next)
    const joined = data.user && isCompanyAccount(data.user) ? await join() : []
    // Without another target, open the library just joined.
    return { goTo: next === '/' && joined.length === 1 ? `/l/${joined[0]}` : next }
  }
  const mailed = mailedTokenOf(search, hash)
  if (mailed) return { confirm: mailed }
  // The first link of an address change returns a message only. It isn't shown, because anyone can write an address.
  return (search.message ?? fragment.get('message'))
    ? halfConfirmed()
    : { problem: t('This link is incomplete. Copy the whole link from the email, or request a new one.') }
}

/** An email change has to be confirmed in both mailboxes; after the first there is no session. */
const halfConfirmed = () => ({
  said: t('Your old email confirmed the change. Now open the link we sent to the new one.'),
})

/** The token or session of the auth service's mails: in the fragment, which servers don't see, or in the query. */
export function mailedTokenOf(search: CallbackSearch, hash: string): MailedToken | undefined {
  const fragment = Object.fromEntries(new URLSearchParams(hash.replace(/^#/, '')))
  return MailedToken.safeParse(search.token_hash ? search : fragment).data
}

/** Signs in with a mailed token. @param next The path to continue with. */
export async function confirmMailedToken(
  token: MailedToken,
  next: string | undefined,
  auth: TokenAuth = supabase.auth,
): Promise<Exclude<CallbackOutcome, { confirm: MailedToken }>> {
  const { type } = token
  const { data, error } = await ('token_hash' in token ? auth.verifyOtp(token) : auth.setSession(token))
  if (error) return { problem: describeAuthError(error) }
  if (type === 'email_change' && data.session === null) return halfConfirmed()
  return { goTo: type === 'recovery' ? '/reset-password' : nextPath(next) }
}
