import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { defineMutation } from '../../lib/mutations.ts'

export const noteOpened = defineMutation({
  mutationFn: async (document: string) => {
    await supabase.rpc('open_document', { document }).throwOnError()
  },
  invalidates: () => [keys.recent],
})
