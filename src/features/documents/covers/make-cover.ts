import { supabase } from '../../../lib/backend/supabase.ts'
import { orThrow } from '../../../lib/mutations.ts'
import type { Cover, Coverless } from './cover-queue.ts'
import { drawCover } from './draw-cover.ts'
import { isDrawable } from './drawable.ts'

const BUCKET = 'documents'
/** Seconds of browser caching: a path's content never changes. */
const FOR_GOOD = '31536000'

/** Creates and stores the cover of a document's current version.
 *  @returns null if the document is missing or has no drawable file. */
export async function makeCover({ document, file }: Coverless): Promise<Cover | null> {
  const { data } = await supabase
    .from('documents')
    .select(
      'library_id, version:versions!documents_current_version_id_fkey(id, storage_path, mime_type, size_bytes, cover_path)',
    )
    .eq('id', document)
    .is('deleted_at', null)
    .maybeSingle()
    .throwOnError()
  const version = data?.version
  if (!data || !version?.storage_path || !isDrawable(version.mime_type)) return null
  if (version.cover_path) return { version: version.id, path: version.cover_path }
  // A different size means that the document has a newer version.
  const source = file?.size === version.size_bytes ? file : await download(version.storage_path)
  const cover = await drawCover(source, version.mime_type)
  const path = `${data.library_id}/${document}/${crypto.randomUUID()}/cover.${cover.type.split('/')[1]}`
  await orThrow(supabase.storage.from(BUCKET).upload(path, cover, { contentType: cover.type, cacheControl: FOR_GOOD }))
  // If another browser was first, its cover is used and this one is purged.
  const { data: kept } = await supabase.rpc('set_cover', { version: version.id, path }).throwOnError()
  return { version: version.id, path: kept }
}

async function download(path: string): Promise<Blob> {
  const { data, error } = await supabase.storage.from(BUCKET).download(path)
  if (error) throw error
  return data
}
