import { mutationOptions } from '@tanstack/react-query'
import { supabase } from '../../lib/supabase.ts'

type NewComment = {
  library: string
  document: string
  body: string
  passage: { id: string; page: number | null; content: string } | undefined
}
/** The table's own limit on a quote. */
const LONGEST_QUOTE = 2000

export const addComment = mutationOptions({
  mutationFn: async ({ library, document, body, passage }: NewComment) => {
    await supabase
      .from('comments')
      .insert({
        library_id: library,
        document_id: document,
        body,
        ...(passage
          ? { passage_id: passage.id, page: passage.page, quote: passage.content.slice(0, LONGEST_QUOTE) }
          : {}),
      })
      .throwOnError()
  },
})

export const setResolved = mutationOptions({
  mutationFn: async ({ comment, resolved }: { comment: string; resolved: boolean }) => {
    await supabase
      .from('comments')
      .update({ resolved_at: resolved ? new Date().toISOString() : null })
      .eq('id', comment)
      .throwOnError()
  },
})
