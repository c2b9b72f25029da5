import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { defineMutation } from '../../lib/mutations.ts'

type OfDocument = { library: string; document: string }

const shownOf = ({ library, document }: OfDocument) => [
  keys.document(library, document),
  keys.documents(library),
  keys.titles(library),
]

export const requireApproval = defineMutation({
  mutationFn: async ({
    library: library_id,
    collection: collection_id,
    approvers,
  }: {
    library: string
    collection: string
    approvers: string[] | null
  }) => {
    const approvals = supabase.from('collection_approvals')
    if (approvers === null) await approvals.delete().eq('collection_id', collection_id).throwOnError()
    else await approvals.upsert({ library_id, collection_id, approver_ids: approvers }).throwOnError()
  },
  invalidates: ({ library }) => [keys.collections(library), keys.openDocuments(library)],
})

/** Publishes a change, or sends it back with a reason. */
export const decideChange = defineMutation({
  mutationFn: async ({ version, words }: OfDocument & { version: string; words: string | null }) => {
    const { data } = await supabase
      .from('versions')
      .update(words === null ? { is_published: true } : { returned_words: words })
      .eq('id', version)
      .select('id')
      .throwOnError()
    // Row security raises no error but changes no row.
    if (data.length === 0) {
      throw new Error(t('Someone has already decided, or kept writing. Review the change again.'))
    }
  },
  invalidates: shownOf,
})

export const withdrawChange = defineMutation({
  mutationFn: ({ document }: OfDocument) =>
    supabase.from('documents').update({ proposed_version_id: null }).eq('id', document).throwOnError(),
  invalidates: shownOf,
})
