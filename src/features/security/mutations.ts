import type { Provider, UserIdentity } from '@supabase/supabase-js'
import { keys } from '../../domain/keys.ts'
import { scopesOf } from '../../domain/sign-in-methods.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { defineMutation, orThrow } from '../../lib/mutations.ts'
import { callbackUrl } from '../../lib/session/next-path.ts'

export const enrolTotp = defineMutation({
  mutationFn: async (name: string) => {
    const { data, error } = await supabase.auth.mfa.enroll({ factorType: 'totp', friendlyName: name, issuer: 'Carrel' })
    if (error) throw error
    return { id: data.id, picture: data.totp.qr_code, secret: data.totp.secret }
  },
})

export const confirmTotp = defineMutation({
  mutationFn: ({ factorId, code }: { factorId: string; code: string }) =>
    orThrow(supabase.auth.mfa.challengeAndVerify({ factorId, code })),
  invalidates: () => [keys.account],
})

export const removeFactor = defineMutation({
  mutationFn: (factorId: string) => orThrow(supabase.auth.mfa.unenroll({ factorId })),
  invalidates: () => [keys.account],
})

export const addPasskey = defineMutation({
  mutationFn: () => orThrow(supabase.auth.registerPasskey()),
  invalidates: () => [keys.passkeys],
})

export const removePasskey = defineMutation({
  mutationFn: (passkeyId: string) => orThrow(supabase.auth.passkey.delete({ passkeyId })),
  invalidates: () => [keys.passkeys],
})

export const renamePasskey = defineMutation({
  mutationFn: ({ id, name }: { id: string; name: string }) =>
    orThrow(supabase.auth.passkey.update({ passkeyId: id, friendlyName: name })),
  invalidates: () => [keys.passkeys],
})

/** Opens the provider's page; the account that returns to `/auth/callback` is linked. */
export const linkIdentity = defineMutation({
  mutationFn: (provider: Provider) =>
    orThrow(
      supabase.auth.linkIdentity({
        provider,
        options: { redirectTo: callbackUrl('/settings/security'), ...scopesOf(provider) },
      }),
    ),
})

export const unlinkIdentity = defineMutation({
  mutationFn: (identity: UserIdentity) => orThrow(supabase.auth.unlinkIdentity(identity)),
  invalidates: () => [keys.account],
})

export const endSession = defineMutation({
  mutationFn: (session: string) => supabase.rpc('end_session', { session }).throwOnError(),
  invalidates: () => [keys.sessions],
})

/** Requires confirmation in both mailboxes, old and new. */
export const changeEmail = defineMutation({
  mutationFn: (email: string) =>
    orThrow(supabase.auth.updateUser({ email }, { emailRedirectTo: callbackUrl('/settings/security') })),
  invalidates: () => [keys.account],
})

/** Deletes the account, then signs out, which clears this browser's data. */
export const deleteAccount = defineMutation({
  mutationFn: async () => {
    await supabase.rpc('delete_account').throwOnError()
    await supabase.auth.signOut({ scope: 'local' })
  },
})
