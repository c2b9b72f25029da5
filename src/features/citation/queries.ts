import { supabase } from '../../lib/backend/supabase.ts'
import { inBatches } from '../../lib/batches.ts'

const read = (documents: string[]) =>
  supabase
    .from('documents')
    .select('id, kind, title, author, dated, url, reference, created_at')
    .in('id', documents)
    .throwOnError()

export type CitedDocument = Awaited<ReturnType<typeof read>>['data'][number]

export async function citedDocuments(documents: readonly string[]): Promise<CitedDocument[]> {
  const cited: CitedDocument[] = []
  await inBatches(documents, async (ids) => cited.push(...(await read(ids)).data))
  return cited
}
