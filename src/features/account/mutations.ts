import { isAuthApiError } from '@supabase/supabase-js'
import * as z from 'zod/mini'
import { keys } from '../../domain/keys.ts'
import { type ProviderName, scopesOf } from '../../domain/sign-in-methods.ts'
import { invoke } from '../../lib/backend/edge-functions.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { currentLanguage } from '../../lib/i18n/i18n.ts'
import { defineMutation } from '../../lib/mutations.ts'
import { callbackUrl } from '../../lib/session/callback-url.ts'

type Credentials = { email: string; password: string }
type Code = { email: string; token: string; type: 'email' | 'recovery' }

export const signIn = defineMutation({
  mutationFn: async (credentials: Credentials) => {
    const { error } = await supabase.auth.signInWithPassword(credentials)
    if (error) throw error
  },
})

/** @returns whether the address has to be confirmed. The auth service answers the same for existing accounts, so as not
 *  to reveal them. */
export const signUp = defineMutation({
  mutationFn: async ({ name, next, ...credentials }: Credentials & { name: string; next: string }) => {
    const { data, error } = await supabase.auth.signUp({
      ...credentials,
      options: { emailRedirectTo: callbackUrl(next), data: { display_name: name, locale: currentLanguage() } },
    })
    if (error) throw error
    return { toConfirm: data.session === null }
  },
})

/** Mails a sign-in link and code. Doesn't reveal whether the address has an account. */
export const sendLink = defineMutation({
  mutationFn: async ({ email, next }: { email: string; next: string }) => {
    const { error } = await supabase.auth.signInWithOtp({
      email,
      options: { emailRedirectTo: callbackUrl(next), shouldCreateUser: false },
    })
    if (error && !(isAuthApiError(error) && (error.code === 'otp_disabled' || error.code === 'user_not_found'))) {
      throw error
    }
  },
})

export const resendConfirmation = defineMutation({
  mutationFn: async ({ email, next }: { email: string; next: string }) => {
    const { error } = await supabase.auth.resend({
      type: 'signup',
      email,
      options: { emailRedirectTo: callbackUrl(next) },
    })
    if (error) throw error
  },
})

export const sendRecovery = defineMutation({
  mutationFn: async (email: string) => {
    const { error } = await supabase.auth.resetPasswordForEmail(email, { redirectTo: callbackUrl('/reset-password') })
    if (error) throw error
  },
})

export const verifyCode = defineMutation({
  mutationFn: async (code: Code) => {
    const { error } = await supabase.auth.verifyOtp(code)
    if (error) throw error
  },
})

export const setPassword = defineMutation({
  mutationFn: async (password: string) => {
    const { error } = await supabase.auth.updateUser({ password })
    if (error) throw error
  },
})

/** Creates an account from an invitation's mail and signs in.
 *  @param entry The invitation's token, and the key that only the mail has. */
async function enterInvitation(entry: { token: string; key: string }): Promise<void> {
  const { token_hash } = await invoke('join', entry, z.object({ token_hash: z.string() }))
  const { error } = await supabase.auth.verifyOtp({ token_hash, type: 'invite' })
  if (error) throw error
}

type NewAccount = {
  token: string
  key: string
  email: string
  name: string
  /** Null for a passkey. */
  password: string | null
}

/** Sets up an invited person's account: creates it, sets the name and a password or passkey. Can be repeated after a
 *  partial failure, even with another password. */
export const setUpAccount = defineMutation({
  mutationFn: async ({ token, key, email, name, password }: NewAccount) => {
    const { data } = await supabase.auth.getSession()
    if (data.session?.user.email?.toLowerCase() !== email) await enterInvitation({ token, key })
    if (password === null) {
      const { error } = await supabase.auth.registerPasskey()
      if (error) throw error
    }
    // Last: an account with a name is complete.
    const { data: updated, error } = await supabase.auth.updateUser({
      ...(password === null ? {} : { password }),
      data: { display_name: name, locale: currentLanguage() },
    })
    if (error) throw error
    await supabase.from('profiles').update({ display_name: name }).eq('id', updated.user.id).throwOnError()
  },
})

export const askForInvitation = defineMutation({
  mutationFn: (token: string) => invoke('join', { token, ask: true }, z.object({ asked: z.literal(true) })),
})

export const saveMailLanguage = defineMutation({
  mutationFn: async (locale: string) => {
    const { error } = await supabase.auth.updateUser({ data: { locale } })
    if (error) throw error
  },
})

export const verifySecondFactor = defineMutation({
  mutationFn: async ({ factorId, code }: { factorId: string; code: string }) => {
    const { error } = await supabase.auth.mfa.challengeAndVerify({ factorId, code })
    if (error) throw error
  },
})

/** Signs out here; with `others`, on every other device instead. */
export const signOut = defineMutation({
  mutationFn: async (scope: 'local' | 'others') => {
    const { error } = await supabase.auth.signOut({ scope })
    if (error) throw error
  },
  invalidates: (scope) => (scope === 'others' ? [keys.sessions] : []),
})

export const signInWithProvider = defineMutation({
  mutationFn: async ({ provider, next }: { provider: ProviderName; next: string }) => {
    const options = { redirectTo: callbackUrl(next), ...scopesOf(provider) }
    const { error } = await supabase.auth.signInWithOAuth({ provider, options })
    if (error) throw error
  },
})

export const signInWithPasskey = defineMutation({
  mutationFn: async () => {
    const { error } = await supabase.auth.signInWithPasskey()
    if (error) throw error
  },
})
