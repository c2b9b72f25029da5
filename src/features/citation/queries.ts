import { supabase } from '../../lib/backend/supabase.ts'

const read = (documents: readonly string[]) =>
  supabase
    .from('documents')
    .select('id, kind, title, author, dated, url, reference, created_at')
    .in('id', [...documents])
    .throwOnError()

/** What is known of documents that are cited. */
export const citedDocuments = async (documents: readonly string[]) => (await read(documents)).data

export type CitedDocument = Awaited<ReturnType<typeof citedDocuments>>[number]
