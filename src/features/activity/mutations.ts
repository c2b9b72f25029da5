import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { defineMutation } from '../../lib/mutations.ts'

export const markSeen = defineMutation({
  mutationFn: async ({ library, upTo }: { library: string; upTo: number }) => {
    await supabase.rpc('mark_activity_seen', { library, up_to: upTo }).throwOnError()
  },
  invalidates: () => [keys.unread],
})
