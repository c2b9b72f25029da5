import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { defineMutation } from '../../lib/mutations.ts'

export const createLibrary = defineMutation({
  mutationFn: async (library: { name: string; description: string }) =>
    (await supabase.rpc('create_library', library).throwOnError()).data,
  invalidates: () => [keys.libraries],
})

export const dismissWelcome = defineMutation({
  mutationFn: (library: string) => supabase.rpc('dismiss_welcome', { library }).throwOnError(),
  invalidates: (library) => [keys.members(library)],
})

/** @returns the joined library. */
export const acceptInvitation = defineMutation({
  mutationFn: async (invitation: string) =>
    (await supabase.rpc('accept_invitation', { invitation }).throwOnError()).data,
  invalidates: () => [keys.libraries, keys.invitations],
})
