import { mutationOptions } from '@tanstack/react-query'
import { written } from '../../lib/outbox.ts'
import { supabase } from '../../lib/supabase.ts'
import type { Anchor } from './anchors.ts'
import { callsSomebody } from './mention-text.ts'

type NewComment = {
  /** Chosen by its writer: sent twice it is one comment. */
  id: string
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

/** Postgres' unique_violation: it arrived the first time. */
const IS_THERE = '23505'

/** A remark, an answer to one, or, without words, a highlight. */
export const addComment = mutationOptions({
  mutationKey: written('add-comment'),
  mutationFn: async ({ id, library, document, body, anchor, parent }: NewComment) => {
    const { error } = await supabase.from('comments').insert({
      id,
      library_id: library,
      document_id: document,
      body,
      ...(parent ? { parent_id: parent } : {}),
      ...(anchor
        ? { page: anchor.page, quote: anchor.quote.slice(0, LONGEST_QUOTE), passage_id: anchor.passage ?? null }
        : {}),
    })
    if (error && error.code !== IS_THERE) throw error
    // The mails are a courtesy: whoever is called finds it under Activity as well.
    if (callsSomebody(body)) void supabase.functions.invoke('mention', { body: { comment_id: id } })
  },
})

export const setResolved = mutationOptions({
  mutationKey: written('resolve-comment'),
  mutationFn: async ({ comment, resolved }: { comment: string; resolved: boolean }) => {
    await supabase
      .from('comments')
      .update({ resolved_at: resolved ? new Date().toISOString() : null })
      .eq('id', comment)
      .throwOnError()
  },
})

export const deleteComment = mutationOptions({
  mutationKey: written('delete-comment'),
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
