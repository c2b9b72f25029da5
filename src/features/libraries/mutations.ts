import { mutationOptions } from '@tanstack/react-query'
import { supabase } from '../../lib/supabase.ts'

export const createLibrary = mutationOptions({
  mutationFn: async (library: { name: string; description: string }) =>
    (await supabase.rpc('create_library', library).throwOnError()).data,
})

/** @returns the library that the caller is now a member of. */
export const acceptInvitation = mutationOptions({
  mutationFn: async (invitation: string) =>
    (await supabase.rpc('accept_invitation', { invitation }).throwOnError()).data,
})
