import { isAuthApiError } from '@supabase/supabase-js'
import { keys } from '../../domain/keys.ts'
import { type ProviderName, scopesOf } from '../../domain/sign-in-methods.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { currentLanguage } from '../../lib/i18n/i18n.ts'
import { defineMutation, orThrow } from '../../lib/mutations.ts'
import { callbackUrl } from '../../lib/session/next-path.ts'

type Credentials = { email: string; password: string }
type Code = { email: string; token: string; type: 'email' | 'recovery' }

export const signIn = defineMutation({
  mutationFn: (credentials: Credentials) => orThrow(supabase.auth.signInWithPassword(credentials)),
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
  mutationFn: ({ email, next }: { email: string; next: string }) =>
    orThrow(
      supabase.auth.resend({
        type: 'signup',
        email,
        options: { emailRedirectTo: callbackUrl(next) },
      }),
    ),
})

export const sendRecovery = defineMutation({
  mutationFn: (email: string) =>
    orThrow(supabase.auth.resetPasswordForEmail(email, { redirectTo: callbackUrl('/reset-password') })),
})

export const verifyCode = defineMutation({
  mutationFn: (code: Code) => orThrow(supabase.auth.verifyOtp(code)),
})

export const setPassword = defineMutation({
  mutationFn: (password: string) => orThrow(supabase.auth.updateUser({ password })),
})

export const saveMailLanguage = defineMutation({
  mutationFn: (locale: string) => orThrow(supabase.auth.updateUser({ data: { locale } })),
})

export const verifySecondFactor = defineMutation({
  mutationFn: ({ factorId, code }: { factorId: string; code: string }) =>
    orThrow(supabase.auth.mfa.challengeAndVerify({ factorId, code })),
})

/** Signs out here; with `others`, on every other device instead. */
export const signOut = defineMutation({
  mutationFn: (scope: 'local' | 'others') => orThrow(supabase.auth.signOut({ scope })),
  invalidates: (scope) => (scope === 'others' ? [keys.sessions] : []),
})

export const signInWithProvider = defineMutation({
  mutationFn: async ({ provider, next }: { provider: ProviderName; next: string }) => {
    const options = { redirectTo: callbackUrl(next), ...scopesOf(provider) }
    await orThrow(supabase.auth.signInWithOAuth({ provider, options }))
  },
})

export const signInWithPasskey = defineMutation({
  mutationFn: () => orThrow(supabase.auth.signInWithPasskey()),
})
