import { MAX_LENGTH } from '../../../supabase/functions/_shared/facts.ts'
import type { HighlightColor } from '../../domain/highlight-colors.ts'
import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { defineMutation } from '../../lib/mutations.ts'
import { defineOfflineMutation } from '../../lib/offline/outbox.ts'
import type { Anchor } from './anchors.ts'
import { countLetters } from './text/locate.ts'

type NewComment = {
  /** Chosen by the browser, so that a retry creates no second comment. */
  id: string
  library: string
  document: string
  body: string
  /** The commented place; undefined for the whole document. */
  anchor?: (Anchor & { passage?: string }) | undefined
  color?: HighlightColor | undefined
  parent?: string | undefined
}

/** Postgres' unique_violation: the comment was already stored. */
const IS_THERE = '23505'

type Place = { library: string; document: string }

const listsOfComments = ({ library, document }: Place) => [
  [...keys.document(library, document), 'comments'],
  keys.highlights(library),
]

/** Adds a comment, a reply or, without text, a highlight. */
export const addComment = defineOfflineMutation({
  name: 'add-comment',
  mutationFn: async ({ id, library, document, body, anchor, color, parent }: NewComment) => {
    const { error } = await supabase.from('comments').insert({
      id,
      library_id: library,
      document_id: document,
      body,
      ...(parent ? { parent_id: parent } : {}),
      ...(color ? { color } : {}),
      ...(anchor
        ? {
            page: anchor.page,
            quote: anchor.quote.slice(0, MAX_LENGTH['comments.quote']),
            passage_id: anchor.passage ?? null,
            ...(anchor.start == null
              ? {}
              : { start_offset: anchor.start, end_offset: anchor.start + countLetters(anchor.quote) }),
          }
        : {}),
    })
    if (error && error.code !== IS_THERE) throw error
  },
  invalidates: listsOfComments,
})

export const setResolved = defineOfflineMutation({
  name: 'resolve-comment',
  mutationFn: ({ comment, resolved }: Place & { comment: string; resolved: boolean }) =>
    supabase
      .from('comments')
      .update({ resolved_at: resolved ? new Date().toISOString() : null })
      .eq('id', comment)
      .throwOnError(),
  invalidates: listsOfComments,
})

export const setHighlightColor = defineOfflineMutation({
  name: 'color-highlight',
  mutationFn: ({ highlight, color }: Place & { highlight: string; color: HighlightColor }) =>
    supabase.from('comments').update({ color }).eq('id', highlight).throwOnError(),
  coalesceBy: ({ highlight }) => highlight,
  invalidates: listsOfComments,
})

type Deletion = Place & { comment: string }

async function deleteById(comment: string): Promise<void> {
  await supabase.from('comments').delete().eq('id', comment).throwOnError()
}

export const deleteComment = defineOfflineMutation({
  name: 'delete-comment',
  mutationFn: ({ comment }: Deletion) => deleteById(comment),
  // Older versions of the app stored only the comment's id.
  resend: (stored: Deletion | string) => deleteById(typeof stored === 'string' ? stored : stored.comment),
  invalidates: listsOfComments,
})

type Position = { library: string; document: string; page: number | null; share: number }

export const savePosition = defineMutation({
  mutationFn: ({ library, document, page, share }: Position) =>
    supabase
      .from('reading_positions')
      .upsert({ library_id: library, document_id: document, page, share }, { onConflict: 'user_id,document_id' })
      .throwOnError(),
  invalidates: ({ library }) => [keys.positions(library), keys.recent],
})
