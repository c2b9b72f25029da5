import { keys } from '../../domain/keys.ts'
import type { Reference } from '../../domain/reference.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { defineMutation } from '../../lib/mutations.ts'

/** Says how a document is cited. The database takes its author and its date from it. */
export const saveReference = defineMutation({
  mutationFn: async ({ document, reference }: { library: string; document: string; reference: Reference }) => {
    const { data } = await supabase
      .from('documents')
      .update({ reference })
      .eq('id', document)
      .select('id')
      .throwOnError()
    // Row-level security does not raise an error, it changes no row.
    if (data.length === 0) throw new Error(t('Only those who may edit this document can change its reference.'))
  },
  invalidates: ({ library, document }) => [
    keys.documents(library),
    keys.search(library),
    keys.titles(library),
    keys.document(library, document),
  ],
})
