import { isAuthApiError } from '@supabase/supabase-js'
import { mutationOptions } from '@tanstack/react-query'
import { callbackUrl } from '../../lib/callback-url.ts'
import { supabase } from '../../lib/supabase.ts'
import { type ProviderName, scopesOf } from './ways.ts'

type Credentials = { email: string; password: string }
type Code = { email: string; token: string; type: 'email' | 'recovery' }

export const signIn = mutationOptions({
  mutationFn: async (credentials: Credentials) => {
    const { error } = await supabase.auth.signInWithPassword(credentials)
    if (error) throw error
  },
})

/** @returns whether the address has to be confirmed first. For an address that has an account already the auth service
 *  answers just the same, so that nobody can find out who has one. */
export const signUp = mutationOptions({
  mutationFn: async ({ name, next, ...credentials }: Credentials & { name: string; next: string }) => {
    const { data, error } = await supabase.auth.signUp({
      ...credentials,
      options: { emailRedirectTo: callbackUrl(next), data: { display_name: name } },
    })
    if (error) throw error
    return { toConfirm: data.session === null }
  },
})

/** Mails a sign-in link and code. An address without an account gets none, and the screen says the same as ever. */
export const sendLink = mutationOptions({
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

export const resendConfirmation = mutationOptions({
  mutationFn: async ({ email, next }: { email: string; next: string }) => {
    const { error } = await supabase.auth.resend({
      type: 'signup',
      email,
      options: { emailRedirectTo: callbackUrl(next) },
    })
    if (error) throw error
  },
})

export const sendRecovery = mutationOptions({
  mutationFn: async (email: string) => {
    const { error } = await supabase.auth.resetPasswordForEmail(email, { redirectTo: callbackUrl('/reset-password') })
    if (error) throw error
  },
})

export const verifyCode = mutationOptions({
  mutationFn: async (code: Code) => {
    const { error } = await supabase.auth.verifyOtp(code)
    if (error) throw error
  },
})

export const setPassword = mutationOptions({
  mutationFn: async (password: string) => {
    const { error } = await supabase.auth.updateUser({ password })
    if (error) throw error
  },
})

export const verifySecondFactor = mutationOptions({
  mutationFn: async ({ factorId, code }: { factorId: string; code: string }) => {
    const { error } = await supabase.auth.mfa.challengeAndVerify({ factorId, code })
    if (error) throw error
  },
})

/** Ends the session here; `others` ends it on every other device instead and leaves this one signed in. */
export const signOut = mutationOptions({
  mutationFn: async (scope: 'local' | 'others') => {
    const { error } = await supabase.auth.signOut({ scope })
    if (error) throw error
  },
})

/** Leaves for the provider, who sends people back to `/auth/callback`. */
export const signInWithProvider = mutationOptions({
  mutationFn: async ({ provider, next }: { provider: ProviderName; next: string }) => {
    const options = { redirectTo: callbackUrl(next), ...scopesOf(provider) }
    const { error } = await supabase.auth.signInWithOAuth({ provider, options })
    if (error) throw error
  },
})

export const signInWithPasskey = mutationOptions({
  mutationFn: async () => {
    const { error } = await supabase.auth.signInWithPasskey()
    if (error) throw error
  },
})
