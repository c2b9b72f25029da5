import { Zip, ZipDeflate, ZipPassThrough } from 'fflate'
import { PICTURES, picturePath, picturesIn } from '../../domain/note-pictures.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { type ExportedDocument, MANIFEST_NAME, type Manifest } from './manifest.ts'
import { endingOf, folderOf, picturesFolder, truncateName, uniquePaths } from './paths.ts'

const PAGE = 200

type Progress = (done: number, total: number) => void

/** Exports a library as a ZIP: original files, notes as Markdown, the rest in carrel.json. Runs in the browser with the
 *  person's rights, so it contains what they see, without the trash.
 *  @throws if anything can't be read: an incomplete export would look complete. */
export async function exportLibrary(library: string, onProgress: Progress, signal: AbortSignal): Promise<Blob> {
  await supabase.rpc('record_export', { library }).abortSignal(signal).throwOnError()
  const { manifest, stored, texts } = await readLibrary(library)
  const parts: Uint8Array<ArrayBuffer>[] = []
  const { promise: finished, resolve, reject } = Promise.withResolvers<void>()
  const zip = new Zip((error, chunk, final) => {
    if (error) return reject(error)
    parts.push(new Uint8Array(chunk))
    if (final) resolve()
  })
  const add = (bytes: Uint8Array, entry: ZipDeflate | ZipPassThrough) => {
    zip.add(entry)
    entry.push(bytes, true)
  }
  const total = stored.length + texts.length
  let done = 0
  for (const { path, bucket, storage } of stored) {
    signal.throwIfAborted()
    const { data, error } = await supabase.storage.from(bucket).download(storage, {}, { signal })
    if (error) throw error
    // Most file types are already compressed.
    add(new Uint8Array(await data.arrayBuffer()), new ZipPassThrough(path))
    onProgress(++done, total)
  }
  const encoder = new TextEncoder()
  for (const { path, text } of texts) {
    add(encoder.encode(text), new ZipDeflate(path))
    onProgress(++done, total)
  }
  add(encoder.encode(JSON.stringify(manifest, null, 2)), new ZipDeflate(MANIFEST_NAME))
  zip.end()
  await finished
  return new Blob(parts, { type: 'application/zip' })
}

type Contents = {
  manifest: Manifest
  stored: { path: string; bucket: string; storage: string }[]
  texts: { path: string; text: string }[]
}

async function readLibrary(library: string): Promise<Contents> {
  const [itself, members, collections, tags, fields, templates] = await Promise.all([
    supabase.from('libraries').select('name, description').eq('id', library).single().throwOnError(),
    supabase
      .from('members')
      .select('role, profile:profiles!inner(display_name)')
      .eq('library_id', library)
      .throwOnError(),
    supabase
      .from('collections')
      .select('id, name, parent_id')
      .eq('library_id', library)
      .order('position')
      .throwOnError(),
    supabase.from('tags').select('name, color').eq('library_id', library).order('name').throwOnError(),
    supabase
      .from('collection_fields')
      .select('id, collection_id, name, kind, takes_several, options:field_options(name, color)')
      .eq('library_id', library)
      .order('position')
      .order('position', { referencedTable: 'options' })
      .throwOnError(),
    supabase.from('note_templates').select('title, body').eq('library_id', library).order('title').throwOnError(),
  ])
  const contents: Contents = {
    manifest: {
      format: 'carrel-library',
      version: 1,
      exported_at: new Date().toISOString(),
      library: itself.data,
      members: members.data.map(({ role, profile }) => ({ name: profile.display_name, role })),
      collections: collections.data,
      tags: tags.data,
      fields: fields.data,
      templates: [],
      documents: [],
    },
    stored: [],
    texts: [],
  }
  const pathFor = uniquePaths()
  for (const { title, body } of templates.data) {
    const path = pathFor('templates/', truncateName(title), '.md')
    contents.manifest.templates?.push({ title, path })
    contents.texts.push({ path, text: body })
  }
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const page = await readDocuments(library, after)
    for (const row of page) {
      const document = placeDocument(row, contents, pathFor)
      contents.manifest.documents.push(document)
      contents.stored.push(...(await placePictures(library, row, picturesFolder(document))))
    }
    const last = page.at(-1)
    if (page.length < PAGE || !last) return contents
    after = last.id
  }
}

async function readDocuments(library: string, after: string) {
  const { data } = await supabase
    .from('documents')
    .select(
      `id, kind, title, summary, url, reference, collection_id, created_at, current_version_id,
      author:profiles!documents_created_by_fkey(display_name), tags:document_tags(tag:tags(name)),
      values:field_values(field_id, text_value, number_value, date_value, person:profiles(display_name), option:field_options(name)),
      versions:versions!versions_document_id_library_id_fkey(id, number, storage_path, body, file_name, mime_type, attachments_left, created_at,
        author:profiles!versions_created_by_fkey(display_name)),
      comments(id, parent_id, body, quote, color, page, resolved_at, created_at, author:profiles!comments_created_by_fkey(display_name))`,
    )
    .eq('library_id', library)
    .is('deleted_at', null)
    .eq('versions.is_published', true)
    .gt('id', after)
    .order('id')
    .limit(PAGE)
    .throwOnError()
  return data
}
/** Adds a note's pictures next to its current text, where its relative names find them. */
async function placePictures(library: string, { id, versions }: Row, folder: string): Promise<Contents['stored']> {
  const named = picturesIn(versions.map(({ body }) => body ?? '').join('\n'))
  if (named.length === 0) return []
  const { data, error } = await supabase.storage.from(PICTURES).list(picturePath(library, id, ''), { limit: 10_000 })
  if (error) throw error
  const there = new Set(data.map(({ name }) => name))
  return named
    .filter((name) => there.has(name))
    .map((name) => ({ path: `${folder}${name}`, bucket: PICTURES, storage: picturePath(library, id, name) }))
}

type Row = Awaited<ReturnType<typeof readDocuments>>[number]

function placeDocument(
  row: Row,
  { manifest, stored, texts }: Contents,
  pathFor: ReturnType<typeof uniquePaths>,
): ExportedDocument {
  const versions = row.versions.toSorted((one, other) => one.number - other.number)
  const current = versions.findIndex(({ id }) => id === row.current_version_id)
  // The current one last: a restored version may have a lower number.
  if (current >= 0) versions.push(...versions.splice(current, 1))
  return {
    id: row.id,
    kind: row.kind,
    title: row.title,
    summary: row.summary,
    url: row.url,
    collection_id: row.collection_id,
    tags: row.tags.map(({ tag }) => tag.name),
    fields: fieldsOf(row),
    reference: row.reference,
    created_at: row.created_at,
    created_by: row.author?.display_name ?? null,
    versions: versions.map((version, index) => {
      const isCurrent = index === versions.length - 1
      const folder = isCurrent ? folderOf(manifest.collections, row.collection_id) : `versions/${row.id}/`
      // Without an extension it could clash with a folder; the manifest has the file's name.
      const ending = version.body === null ? endingOf(version.file_name ?? version.storage_path ?? '') || '.bin' : '.md'
      const stem = isCurrent ? truncateName(titleWithout(ending, row)) : String(version.number)
      const path = pathFor(folder, stem, ending)
      if (version.body !== null) texts.push({ path, text: version.body })
      else if (version.storage_path) stored.push({ path, bucket: 'documents', storage: version.storage_path })
      return {
        number: version.number,
        path,
        file_name: version.file_name,
        mime_type: version.mime_type,
        ...(version.attachments_left === 0 ? { attachments: false } : {}),
        created_at: version.created_at,
        created_by: version.author?.display_name ?? null,
      }
    }),
    comments: row.comments.map(({ author, ...comment }) => ({ ...comment, created_by: author?.display_name ?? null })),
  }
}

/** Titles of unknown file types include the extension. */
const titleWithout = (ending: string, { kind, title }: Row): string =>
  kind === 'file' && title.toLowerCase().endsWith(ending) ? title.slice(0, -ending.length) : title

/** Includes values that are hidden because their field doesn't apply. */
const fieldsOf = ({ values }: Row): ExportedDocument['fields'] =>
  [...Map.groupBy(values, ({ field_id }) => field_id)].map(([field_id, of]) => ({
    field_id,
    values: of.flatMap(
      ({ text_value, number_value, date_value, person, option }) =>
        text_value ?? number_value ?? date_value ?? person?.display_name ?? option?.name ?? [],
    ),
  }))
