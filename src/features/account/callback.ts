import type { AuthError, EmailOtpType } from '@supabase/supabase-js'
import * as z from 'zod/mini'
import { explainAuth, explainAuthCode } from '../../lib/auth-messages.ts'
import { t } from '../../lib/i18n.ts'
import { nextPath } from '../../lib/next-path.ts'
import { supabase } from '../../lib/supabase.ts'

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

/** Takes what a mailed link or a sign-in provider came back with, and turns it into a session or an explanation.
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
      problem: explainAuthCode(errorCode, search.error_description ?? fragment.get('error_description') ?? undefined),
    }
  }
  if (search.code) {
    const { data, error } = await auth.exchangeCodeForSession(search.code)
    if (error) return { problem: explainAuth(error) }
    const isRecovery = 'redirectType' in data && data.redirectType === 'recovery'
    return { goTo: isRecovery ? '/reset-password' : nextPath(search.next) }
  }
  if (search.token_hash && search.type) {
    const { error } = await auth.verifyOtp({ token_hash: search.token_hash, type: search.type })
    if (error) return { problem: explainAuth(error) }
    return { goTo: search.type === 'recovery' ? '/reset-password' : nextPath(search.next) }
  }
  // Links that somebody else asked for, as an invitation's, come back with the session itself: this browser asked for nothing
  // that a code could be exchanged with.
  const [access_token, refresh_token] = [fragment.get('access_token'), fragment.get('refresh_token')]
  if (access_token && refresh_token && MAILED_BY_OTHERS.has(fragment.get('type') ?? '')) {
    const { error } = await auth.setSession({ access_token, refresh_token })
    return error ? { problem: explainAuth(error) } : { goTo: nextPath(search.next) }
  }
  // Changing an address needs both mailboxes; after the first link the service only sends a message along.
  const said = search.message ?? fragment.get('message')
  return said
    ? { said }
    : { problem: t('This link is incomplete. Copy the whole address from the mail, or ask for a new one.') }
}
