import type { SupabaseClient } from '@supabase/supabase-js'
import { describePage } from '../_shared/extraction/html.ts'
import { decodePage } from '../_shared/web/charset.ts'
import { fetchPage, type WebDeps } from '../_shared/web/fetch-page.ts'
import type { Work } from './queue.ts'

const ENDINGS: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'text/plain': 'txt',
  'text/markdown': 'md',
  'text/csv': 'csv',
}

/** Fetches a link's page and stores it as the link's next version, in the name of who added the link.
 *  @throws {Unreadable} when the page cannot be fetched, with what to do. */
export async function fetchLink(
  { document_id, library_id, url, title, created_by }: Work,
  service: SupabaseClient,
  web: WebDeps,
): Promise<void> {
  const page = await fetchPage(url ?? '', web)
  const ending = ENDINGS[page.mimeType] ?? 'html'
  const isPage = ending === 'html'
  const html = isPage ? decodePage(page.bytes) : ''
  const content = new Blob([isPage ? html : new Uint8Array(page.bytes)])
  const path = `${library_id}/${document_id}/${crypto.randomUUID()}/page.${ending}`
  const { error } = await service.storage
    .from('documents')
    .upload(path, content, { contentType: isPage ? 'text/html' : page.mimeType })
  if (error) throw new Error(`upload ${path}: ${error.message}`, { cause: error })
  // Type and size are placeholders: the database takes them from the stored object.
  await service
    .from('versions')
    .insert({
      library_id,
      document_id,
      storage_path: path,
      file_name: `page.${ending}`,
      mime_type: 'text/html',
      size_bytes: 0,
      created_by,
    })
    .throwOnError()
  // A title that a user gave is kept; the address was only a placeholder.
  const described = isPage ? describePage(html) : { title: '', summary: '' }
  if (title !== (url ?? '').slice(0, 300) || !described.title) return
  await service.from('documents').update(described).eq('id', document_id).throwOnError()
}
