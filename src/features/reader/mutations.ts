import { mutationOptions } from '@tanstack/react-query'
import { supabase } from '../../lib/supabase.ts'
import type { Anchor } from './anchors.ts'
import { callsSomebody } from './mention-text.ts'

type NewComment = {
  library: string
  document: string
  body: string
  /** What it is about, where it is not the whole document. */
  anchor?: (Anchor & { passage?: string }) | undefined
  /** The comment that this one answers. */
  parent?: string | undefined
}
/** The table's own limit on a quote. */
const LONGEST_QUOTE = 2000

/** A remark, an answer to one, or, without words, a highlight. */
export const addComment = mutationOptions({
  mutationFn: async ({ library, document, body, anchor, parent }: NewComment) => {
    const { data } = await supabase
      .from('comments')
      .insert({
        library_id: library,
        document_id: document,
        body,
        ...(parent ? { parent_id: parent } : {}),
        ...(anchor
          ? { page: anchor.page, quote: anchor.quote.slice(0, LONGEST_QUOTE), passage_id: anchor.passage ?? null }
          : {}),
      })
      .select('id')
      .single()
      .throwOnError()
    // The mails are a courtesy: whoever is called finds it under Activity as well.
    if (callsSomebody(body)) void supabase.functions.invoke('mention', { body: { comment_id: data.id } })
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

export const deleteComment = mutationOptions({
  mutationFn: async (comment: string) => {
    await supabase.from('comments').delete().eq('id', comment).throwOnError()
  },
})

type Position = { library: string; document: string; page: number | null; share: number }

export const savePosition = mutationOptions({
  mutationFn: async ({ library, document, page, share }: Position) => {
    await supabase
      .from('reading_positions')
      .upsert({ library_id: library, document_id: document, page, share }, { onConflict: 'user_id,document_id' })
      .throwOnError()
  },
})
