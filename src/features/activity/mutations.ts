import { mutationOptions } from '@tanstack/react-query'
import { supabase } from '../../lib/supabase.ts'

export const markSeen = mutationOptions({
  mutationFn: async ({ library, upTo }: { library: string; upTo: number }) => {
    await supabase.rpc('mark_activity_seen', { library, up_to: upTo }).throwOnError()
  },
})
