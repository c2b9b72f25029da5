import type { Client } from '../_shared/clients.ts'
import { decodeText } from '../_shared/extraction/charset.ts'
import { type Cover, coverOf, MAX_COVER_BYTES } from '../_shared/extraction/cover.ts'
import { describePage, pictureOf } from '../_shared/extraction/html.ts'
import { kindOfMediaType } from '../_shared/file-kinds.ts'
import { fetchPage, fetchPicture, type WebDeps } from '../_shared/web/fetch-page.ts'
import type { Work } from './queue.ts'
import { newFolder, type Versions } from './versions.ts'

/** Milliseconds: a cover isn't worth a longer wait. */
const TIMEOUT = 5_000

/** Fetches a link's page and stores it as the link's next version, on behalf of its creator.
 *  @throws {Unreadable} if the page can't be fetched. */
export async function fetchLink(work: Work, service: Client, versions: Versions, web: WebDeps): Promise<void> {
  const { document_id, library_id, url, title, created_by } = work
  const page = await fetchPage(url ?? '', web)
  const ending = kindOfMediaType(page.mimeType)?.endings[0] ?? 'html'
  const isPage = ending === 'html'
  const html = isPage ? ((await decodeText(page.bytes)) ?? '') : ''
  const content = new Blob([isPage ? html : new Uint8Array(page.bytes)])
  const folder = newFolder(work)
  const path = `${folder}/page.${ending}`
  await versions.upload(path, content, { contentType: isPage ? 'text/html' : page.mimeType })
  const picture = html && (await fetchCover(pictureOf(html, page.url), web))
  const cover = picture ? await versions.storeCover(folder, picture) : null
  // Number, type and size are placeholders: the database numbers versions and reads the rest from the stored object.
  await service
    .from('versions')
    .insert({
      library_id,
      document_id,
      number: 0,
      storage_path: path,
      file_name: `page.${ending}`,
      mime_type: 'text/html',
      size_bytes: 0,
      created_by,
      cover_path: cover,
    })
    .throwOnError()
  // Keep a user's title; replace the address.
  const described = isPage ? describePage(html) : { title: '', summary: '' }
  if (title !== (url ?? '').slice(0, 300) || !described.title) return
  await service.from('documents').update(described).eq('id', document_id).throwOnError()
}

/** Fetches a page's preview image. Its address comes from the page, so it is checked like the page's own.
 *  @returns null if there is none that can be a cover. */
async function fetchCover(address: string | null, web: WebDeps): Promise<Cover | null> {
  if (address === null) return null
  try {
    const { bytes } = await fetchPicture(address, { ...web, timeout: TIMEOUT, mostBytes: MAX_COVER_BYTES })
    return coverOf(bytes)
  } catch {
    // The page is kept without a cover.
    return null
  }
}
