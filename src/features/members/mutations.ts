import { mutationOptions } from '@tanstack/react-query'
import type { Enums } from '../../../types/database.ts'
import { supabase } from '../../lib/supabase.ts'

export type Role = Enums<'member_role'>

export const setRole = mutationOptions({
  mutationFn: async ({ library, person, role }: { library: string; person: string; role: Role }) => {
    const { data } = await supabase
      .from('members')
      .update({ role })
      .eq('library_id', library)
      .eq('user_id', person)
      .select('user_id')
      .throwOnError()
    // Row security does not refuse: it changes nothing. That must not look like success.
    if (data.length === 0) throw new Error('Only an owner of the library can change roles.')
  },
})

export const removeMember = mutationOptions({
  mutationFn: async ({ library, person }: { library: string; person: string }) => {
    const { data } = await supabase
      .from('members')
      .delete()
      .eq('library_id', library)
      .eq('user_id', person)
      .select('user_id')
      .throwOnError()
    if (data.length === 0) throw new Error('Only an owner of the library can remove members.')
  },
})

export const inviteMember = mutationOptions({
  mutationFn: async (invitation: { library: string; email: string; role: Role }) => {
    await supabase.rpc('invite_member', invitation).throwOnError()
  },
})
