import type { AuthError, EmailOtpType } from '@supabase/supabase-js'
import * as z from 'zod/mini'
import { describeAuthCode, describeAuthError } from '../../domain/auth-messages.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { nextPath } from '../../lib/session/next-path.ts'

export const CallbackSearch = z.object({
  code: z.optional(z.coerce.string()),
  token_hash: z.optional(z.coerce.string()),
  type: z.optional(z.enum(['email', 'signup', 'invite', 'magiclink', 'recovery', 'email_change'])),
  next: z.optional(z.string()),
  error: z.optional(z.string()),
  error_code: z.optional(z.string()),
  error_description: z.optional(z.string()),
  message: z.optional(z.string()),
})
export type CallbackSearch = z.infer<typeof CallbackSearch>

export type CallbackOutcome = { goTo: string } | { problem: string } | { said: string }

type CallbackAuth = {
  exchangeCodeForSession(code: string): Promise<{ data: object; error: AuthError | null }>
  setSession(tokens: { access_token: string; refresh_token: string }): Promise<{ error: AuthError | null }>
  verifyOtp(params: { token_hash: string; type: EmailOtpType }): Promise<{ error: AuthError | null }>
}

const MAILED_BY_OTHERS = new Set(['invite', 'magiclink'])

/** Turns the address that a mailed link or a sign-in provider returned to into a session or an explanation.
 *  @param search The address's query, @param hash its fragment: errors may come in either. */
export async function finishCallback(
  search: CallbackSearch,
  hash: string,
  auth: CallbackAuth = supabase.auth,
): Promise<CallbackOutcome> {
  const fragment = new URLSearchParams(hash.replace(/^#/, ''))
  const errorCode = search.error_code ?? fragment.get('error_code') ?? search.error ?? fragment.get('error')
  if (errorCode) {
    return {
      problem: describeAuthCode(errorCode, search.error_description ?? fragment.get('error_description') ?? undefined),
    }
  }
  if (search.code) {
    const { data, error } = await auth.exchangeCodeForSession(search.code)
    if (error) return { problem: describeAuthError(error) }
    const isRecovery = 'redirectType' in data && data.redirectType === 'recovery'
    return { goTo: isRecovery ? '/reset-password' : nextPath(search.next) }
  }
  if (search.token_hash && search.type) {
    const { error } = await auth.verifyOtp({ token_hash: search.token_hash, type: search.type })
    if (error) return { problem: describeAuthError(error) }
    return { goTo: search.type === 'recovery' ? '/reset-password' : nextPath(search.next) }
  }
  // A link that somebody else requested, for example by an invitation, returns with the session itself: this browser has no
  // verifier to exchange a code with.
  const [access_token, refresh_token] = [fragment.get('access_token'), fragment.get('refresh_token')]
  if (access_token && refresh_token && MAILED_BY_OTHERS.has(fragment.get('type') ?? '')) {
    const { error } = await auth.setSession({ access_token, refresh_token })
    return error ? { problem: describeAuthError(error) } : { goTo: nextPath(search.next) }
  }
  // A change of address has to be confirmed in both mailboxes. After the first, the service only returns a message.
  const said = search.message ?? fragment.get('message')
  return said
    ? { said }
    : { problem: t('This link is incomplete. Copy the whole address from the mail, or ask for a new one.') }
}
