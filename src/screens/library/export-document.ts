import { zipSync } from 'fflate'
import { PICTURES, picturePath, picturesIn } from '../../domain/note-pictures.ts'
import { safeMarkdown } from '../../features/reader/text/safe-html.ts'
import { truncateName } from '../../features/transfer/paths.ts'
import { presentRow } from '../../lib/backend/database-query.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { orThrow } from '../../lib/mutations.ts'
import { saveBlob } from '../../lib/ui/save-blob.ts'
import styles from './export-document.css?inline'

export type DocumentKey = { library: string; id: string }
export type ExportForm = 'markdown' | 'docx' | 'html' | 'print'

/** Seconds for which a download address is valid. */
const SECONDS = 60

async function read({ library, id }: DocumentKey) {
  const { data } = await supabase
    .from('documents')
    .select(
      'title, collection_id, tags:document_tags(tag_id), version:versions!documents_current_version_id_fkey(storage_path, body, file_name, content_hash, attachments_left)',
    )
    .eq('library_id', library)
    .eq('id', id)
    .maybeSingle()
    .throwOnError()
  return presentRow(data)
}

/** Downloads a document's file under its original name. */
export async function download(key: DocumentKey): Promise<void> {
  const { title, version } = await read(key)
  if (!version?.storage_path) throw new Error(t('This document has no file yet.'))
  const { data, error } = await supabase.storage
    .from('documents')
    .createSignedUrl(version.storage_path, SECONDS, { download: version.file_name ?? title })
  if (error) throw error
  location.assign(data.signedUrl)
}

/** Copies a file or note in its collection, with tags and pictures. @returns the copy. */
export async function duplicate(key: DocumentKey): Promise<{ id: string; title: string }> {
  const { library } = key
  const { title: original, collection_id: collection, tags, version } = await read(key)
  const id = crypto.randomUUID()
  const title = t('{title} (copy)', { title: original })
  const { body = '', storage_path: source, file_name, content_hash, attachments_left = 0 } = version ?? {}
  const path = source && `${library}/${id}/${crypto.randomUUID()}/${source.slice(source.lastIndexOf('/') + 1)}`
  if (path) await copyFile('documents', source, path)
  const contents = path ? { path, file_name, content_hash, attachments: attachments_left > 0 } : { body }
  const copy = { id, kind: path ? 'file' : 'note', title, summary: '', collection, versions: [contents] }
  await supabase
    .rpc('import_document', { library, document: { ...copy, tags: tags.map(({ tag_id }) => tag_id) } })
    .throwOnError()
  // The note has to exist before its pictures.
  for (const name of picturesIn(body ?? '')) {
    await copyFile(PICTURES, picturePath(library, key.id, name), picturePath(library, id, name))
  }
  return { id, title }
}

async function copyFile(bucket: string, from: string, to: string): Promise<void> {
  await orThrow(supabase.storage.from(bucket).copy(from, to))
}

/** Saves a note as Markdown (zipped with its pictures), Word or HTML, or opens the print dialog. */
export async function exportNote({ form, ...key }: DocumentKey & { form: ExportForm }): Promise<void> {
  const { title, version } = await read(key)
  const body = version?.body ?? ''
  const name = truncateName(title)
  const pictures = await readPictures(key, picturesIn(body))
  if (form === 'markdown') {
    if (pictures.size === 0) return saveBlob(new Blob([body], { type: 'text/markdown' }), `${name}.md`)
    const files: Record<string, Uint8Array> = { [`${name}.md`]: new TextEncoder().encode(body) }
    for (const [picture, blob] of pictures) files[`pictures/${picture}`] = new Uint8Array(await blob.arrayBuffer())
    return saveBlob(new Blob([zipSync(files)], { type: 'application/zip' }), `${name}.zip`)
  }
  const text = await textOf(title, body, pictures)
  if (form === 'docx') {
    const { wordDocument } = await import('./word-document.ts')
    return saveBlob(await wordDocument(title, text), `${name}.docx`)
  }
  const html = page(title, text)
  if (form === 'html') saveBlob(new Blob([html], { type: 'text/html' }), `${name}.html`)
  else await print(title, html)
}

/** Returns the existing pictures; missing ones become their descriptions. */
async function readPictures({ library, id }: DocumentKey, names: readonly string[]): Promise<Map<string, Blob>> {
  const pictures = new Map<string, Blob>()
  for (const name of names) {
    const { data } = await supabase.storage.from(PICTURES).download(picturePath(library, id, name))
    if (data) pictures.set(name, data)
  }
  return pictures
}

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

/** Renders a self-contained note: with title and embedded pictures, and absolute links to documents. */
async function textOf(title: string, body: string, pictures: ReadonlyMap<string, Blob>): Promise<HTMLElement> {
  const copy = document.implementation.createHTMLDocument(title)
  const text = Object.assign(copy.createElement('main'), { className: 'prose', innerHTML: safeMarkdown(body) })
  if (text.querySelector(':scope > h1:first-child')?.textContent.trim() !== title) {
    text.prepend(Object.assign(copy.createElement('h1'), { textContent: title, dir: 'auto' }))
  }
  for (const image of text.querySelectorAll('img')) {
    const picture = pictures.get(image.dataset.picture ?? '')
    if (picture) image.src = await dataAddress(picture)
  }
  for (const link of text.querySelectorAll('a[href^="/"]')) {
    link.setAttribute('href', new URL(link.getAttribute('href') ?? '', location.href).href)
  }
  return text
}

function page(title: string, text: HTMLElement): string {
  const copy = document.implementation.createHTMLDocument(title)
  const { documentElement: root, head } = copy
  root.lang = document.documentElement.lang
  const charset = Object.assign(copy.createElement('meta'), { content: 'text/html; charset=utf-8' })
  charset.httpEquiv = 'Content-Type'
  const policy = Object.assign(copy.createElement('meta'), { content: POLICY })
  policy.httpEquiv = 'Content-Security-Policy'
  const style = copy.createElement('style')
  style.textContent = styles
  head.prepend(charset, policy)
  head.append(style)
  copy.body.append(text)
  return `<!doctype html>\n${root.outerHTML}`
}

const dataAddress = (blob: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(blob)
  })

/** Prints a page from a sandboxed frame, which stays until the dialog is closed. */
async function print(title: string, html: string): Promise<void> {
  const frame = Object.assign(document.createElement('iframe'), { title, srcdoc: html })
  frame.setAttribute('sandbox', 'allow-same-origin allow-modals')
  frame.setAttribute('aria-hidden', 'true')
  frame.tabIndex = -1
  frame.style.cssText = 'position:fixed;inset-inline-start:-100vw;width:44rem;height:60rem;border:0'
  await new Promise((resolve) => {
    frame.onload = resolve
    document.body.append(frame)
  })
  const { contentWindow: inside } = frame
  await Promise.all([...(frame.contentDocument?.images ?? [])].map((image) => image.decode().catch(() => undefined)))
  // Most browsers name the print job after the open page.
  inside?.addEventListener('afterprint', () => frame.remove(), { once: true })
  inside?.print()
}
