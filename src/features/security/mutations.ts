import type { Provider, UserIdentity } from '@supabase/supabase-js'
import { keys } from '../../domain/keys.ts'
import { scopesOf } from '../../domain/sign-in-methods.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { defineMutation } from '../../lib/mutations.ts'
import { callbackUrl } from '../../lib/session/callback-url.ts'

export const enrolTotp = defineMutation({
  mutationFn: async (name: string) => {
    const { data, error } = await supabase.auth.mfa.enroll({ factorType: 'totp', friendlyName: name, issuer: 'Carrel' })
    if (error) throw error
    return { id: data.id, picture: data.totp.qr_code, secret: data.totp.secret }
  },
})

export const confirmTotp = defineMutation({
  mutationFn: async ({ factorId, code }: { factorId: string; code: string }) => {
    const { error } = await supabase.auth.mfa.challengeAndVerify({ factorId, code })
    if (error) throw error
  },
  invalidates: () => [keys.account],
})

export const removeFactor = defineMutation({
  mutationFn: async (factorId: string) => {
    const { error } = await supabase.auth.mfa.unenroll({ factorId })
    if (error) throw error
  },
  invalidates: () => [keys.account],
})

export const addPasskey = defineMutation({
  mutationFn: async () => {
    const { error } = await supabase.auth.registerPasskey()
    if (error) throw error
  },
  invalidates: () => [keys.passkeys],
})

export const removePasskey = defineMutation({
  mutationFn: async (passkeyId: string) => {
    const { error } = await supabase.auth.passkey.delete({ passkeyId })
    if (error) throw error
  },
  invalidates: () => [keys.passkeys],
})

export const renamePasskey = defineMutation({
  mutationFn: async ({ id, name }: { id: string; name: string }) => {
    const { error } = await supabase.auth.passkey.update({ passkeyId: id, friendlyName: name })
    if (error) throw error
  },
  invalidates: () => [keys.passkeys],
})

/** Opens the provider's page; the account that returns to `/auth/callback` is linked. */
export const linkIdentity = defineMutation({
  mutationFn: async (provider: Provider) => {
    const { error } = await supabase.auth.linkIdentity({
      provider,
      options: { redirectTo: callbackUrl('/settings/security'), ...scopesOf(provider) },
    })
    if (error) throw error
  },
})

export const unlinkIdentity = defineMutation({
  mutationFn: async (identity: UserIdentity) => {
    const { error } = await supabase.auth.unlinkIdentity(identity)
    if (error) throw error
  },
  invalidates: () => [keys.account],
})

export const endSession = defineMutation({
  mutationFn: async (session: string) => {
    await supabase.rpc('end_session', { session }).throwOnError()
  },
  invalidates: () => [keys.sessions],
})

/** Requires confirmation in both mailboxes, old and new. */
export const changeEmail = defineMutation({
  mutationFn: async (email: string) => {
    const { error } = await supabase.auth.updateUser({ email }, { emailRedirectTo: callbackUrl('/settings/security') })
    if (error) throw error
  },
  invalidates: () => [keys.account],
})

/** Deletes the account, then signs out, which clears this browser's data. */
export const deleteAccount = defineMutation({
  mutationFn: async () => {
    await supabase.rpc('delete_account').throwOnError()
    await supabase.auth.signOut({ scope: 'local' })
  },
})
