import * as z from 'zod/mini'
import { keys } from '../../domain/keys.ts'
import { databaseQuery } from '../../lib/backend/database-query.ts'
import { supabase } from '../../lib/backend/supabase.ts'

const Approval = z.object({
  /** The collection's own approvers; null if it requires no approval itself. */
  own: z.nullable(z.array(z.string())),
  is_required: z.boolean(),
  may_approve: z.boolean(),
  /** Names of all approvers; empty if only owners approve. */
  approvers: z.array(z.string()),
  people: z.array(z.object({ id: z.string(), name: z.string() })),
})
export type Approval = z.infer<typeof Approval>

export const approvalQuery = (library: string, collection: string) =>
  databaseQuery(
    [...keys.collections(library), 'approval', collection],
    () => supabase.rpc('approval_in', { collection }),
    (data) => z.parse(Approval, data),
  )

/** A published version of a note, and the previous one. */
export const approvedChangeQuery = (library: string, document: string, version: number) =>
  databaseQuery([...keys.document(library, document), 'approved', version], () =>
    supabase
      .from('versions')
      .select(
        'body, created_at, decided_at, decider:profiles!versions_decided_by_fkey(display_name), authors(display_name)',
      )
      .eq('document_id', document)
      .eq('is_published', true)
      .lte('number', version)
      .order('number', { ascending: false })
      .limit(2),
  )
