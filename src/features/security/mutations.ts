import { mutationOptions } from '@tanstack/react-query'
import { supabase } from '../../lib/supabase.ts'

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
