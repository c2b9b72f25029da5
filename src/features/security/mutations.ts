import type { Provider, UserIdentity } from '@supabase/supabase-js'
import { mutationOptions } from '@tanstack/react-query'
import { callbackUrl } from '../../lib/callback-url.ts'
import { supabase } from '../../lib/supabase.ts'
import { scopesOf } from '../account/ways.ts'

export const enrolTotp = mutationOptions({
  mutationFn: async (name: string) => {
    const { data, error } = await supabase.auth.mfa.enroll({ factorType: 'totp', friendlyName: name, issuer: 'Carrel' })
    if (error) throw error
    return { id: data.id, picture: data.totp.qr_code, secret: data.totp.secret }
  },
})

export const confirmTotp = mutationOptions({
  mutationFn: async ({ factorId, code }: { factorId: string; code: string }) => {
    const { error } = await supabase.auth.mfa.challengeAndVerify({ factorId, code })
    if (error) throw error
  },
})

export const removeFactor = mutationOptions({
  mutationFn: async (factorId: string) => {
    const { error } = await supabase.auth.mfa.unenroll({ factorId })
    if (error) throw error
  },
})

export const addPasskey = mutationOptions({
  mutationFn: async () => {
    const { error } = await supabase.auth.registerPasskey()
    if (error) throw error
  },
})

export const removePasskey = mutationOptions({
  mutationFn: async (passkeyId: string) => {
    const { error } = await supabase.auth.passkey.delete({ passkeyId })
    if (error) throw error
  },
})

export const renamePasskey = mutationOptions({
  mutationFn: async ({ id, name }: { id: string; name: string }) => {
    const { error } = await supabase.auth.passkey.update({ passkeyId: id, friendlyName: name })
    if (error) throw error
  },
})

/** Leaves for the provider; what comes back to `/auth/callback` is linked to the account that is signed in. */
export const linkIdentity = mutationOptions({
  mutationFn: async (provider: Provider) => {
    const { error } = await supabase.auth.linkIdentity({
      provider,
      options: { redirectTo: callbackUrl('/settings/security'), ...scopesOf(provider) },
    })
    if (error) throw error
  },
})

export const unlinkIdentity = mutationOptions({
  mutationFn: async (identity: UserIdentity) => {
    const { error } = await supabase.auth.unlinkIdentity(identity)
    if (error) throw error
  },
})

export const endSession = mutationOptions({
  mutationFn: async (session: string) => {
    await supabase.rpc('end_session', { session }).throwOnError()
  },
})

/** Takes both mailboxes: a link goes to the old address and one to the new. */
export const changeEmail = mutationOptions({
  mutationFn: async (email: string) => {
    const { error } = await supabase.auth.updateUser({ email }, { emailRedirectTo: callbackUrl('/settings/security') })
    if (error) throw error
  },
})

/** The account is gone; signing out then clears what this browser has of it. */
export const deleteAccount = mutationOptions({
  mutationFn: async () => {
    await supabase.rpc('delete_account').throwOnError()
    await supabase.auth.signOut({ scope: 'local' })
  },
})
