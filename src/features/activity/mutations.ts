import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { defineMutation } from '../../lib/mutations.ts'

export const markSeen = defineMutation({
  mutationFn: ({ library, upTo }: { library: string; upTo: number }) =>
    supabase.rpc('mark_activity_seen', { library, up_to: upTo }).throwOnError(),
  invalidates: () => [keys.unread],
})
