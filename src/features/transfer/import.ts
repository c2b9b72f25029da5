import { MAX_TITLE } from '../../../supabase/functions/_shared/facts.ts'
import { failureText } from '../../domain/failure.ts'
import { colorOf } from '../../domain/highlight-colors.ts'
import { PICTURES, picturePath, picturesIn, pictureType } from '../../domain/note-pictures.ts'
import { documentAddress } from '../../domain/note-references.ts'
import { type Reference, referenceOf, storable } from '../../domain/reference.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { formatDate } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { sha256 } from '../../lib/sha256.ts'
import { makeFields, setFields } from './import-fields.ts'
import type { ExportedDocument, Manifest } from './manifest.ts'
import { endingOf, picturesFolder, truncateName } from './paths.ts'
import { type ImportedReference, referenceToNote } from './references.ts'

export type ImportReport = {
  documents: number
  comments: number
  problems: { title: string; reason: string }[]
}

type Progress = (done: number, total: number) => void

/** Imports an export into a library: collections with fields, tags, templates, documents with all versions, comments.
 *  Runs with the person's rights and under their name. Links between imported documents are rewritten. */
export async function importManifest(
  library: string,
  manifest: Manifest,
  files: ReadonlyMap<string, Uint8Array>,
  onProgress: Progress,
): Promise<ImportReport> {
  const collections = await makeCollections(library, manifest)
  const tags = await makeTags(
    library,
    manifest.documents.flatMap((document) => document.tags),
    manifest.tags,
  )
  const links = linksWithin(library, manifest)
  const fields = await makeFields(library, manifest, collections)
  await addTemplates(library, manifest, files)
  const report: ImportReport = { documents: 0, comments: 0, problems: [] }
  // Mails first: reading them creates links to their attachments.
  const inOrder = manifest.documents.toSorted((one, other) => Number(isMail(one)) - Number(isMail(other)))
  for (const [index, document] of inOrder.entries()) {
    try {
      const id = await addDocument(library, document, files, collections.get(document.collection_id ?? ''), links)
      report.documents += 1
      await putTags(library, id, document.tags, tags)
      await setFields(id, document, fields, manifest.collections)
      report.comments += await addComments(library, id, document)
    } catch (error) {
      report.problems.push({ title: document.title, reason: failureText(error) })
    }
    onProgress(index + 1, manifest.documents.length)
  }
  return report
}

const isMail = ({ versions }: ExportedDocument): boolean => /\.eml$/i.test(versions.at(-1)?.file_name ?? '')

export async function importReferences(
  library: string,
  references: readonly ImportedReference[],
  onProgress: Progress,
): Promise<ImportReport> {
  const tags = await makeTags(
    library,
    references.flatMap(({ keywords }) => keywords),
    [],
  )
  const report: ImportReport = { documents: 0, comments: 0, problems: [] }
  for (const [index, reference] of references.entries()) {
    const title = reference.title.slice(0, MAX_TITLE)
    try {
      const { data } = await supabase
        .rpc('add_note', { library, title, body: referenceToNote(reference) })
        .throwOnError()
      report.documents += 1
      await describeDocument(data.id, { reference: reference.reference })
      await putTags(library, data.id, reference.keywords, tags)
    } catch (error) {
      report.problems.push({ title, reason: failureText(error) })
    }
    onProgress(index + 1, references.length)
  }
  return report
}

/** The database's nesting limit. */
const DEEPEST = 20

/** Shortens and cleans a name for the database: foreign exports may contain anything. */
const storableName = (name: string, most: number): string =>
  name
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, most)
    .toWellFormed()
    .trim()

/** Creates parents first. @returns new ids by old. */
async function makeCollections(library: string, { collections }: Manifest): Promise<Map<string, string>> {
  const made = new Map<string, string>()
  const depths = new Map<string, number>()
  let waiting = collections
  while (waiting.length > 0) {
    const ready = waiting.filter(({ parent_id }) => parent_id === null || made.has(parent_id))
    // A collection with a missing or cyclic parent goes to the top level.
    for (const { id, name, parent_id } of ready.length > 0 ? ready : waiting) {
      const parent = made.get(parent_id ?? '')
      const depth = parent ? (depths.get(parent_id ?? '') ?? 0) + 1 : 1
      depths.set(id, depth)
      // Deeper ones are merged into the deepest allowed.
      if (parent && depth > DEEPEST) {
        made.set(id, parent)
        continue
      }
      const { data } = await supabase
        .from('collections')
        .insert({ library_id: library, name: storableName(name, 120) || t('Untitled'), parent_id: parent ?? null })
        .select('id')
        .single()
        .throwOnError()
      made.set(id, data.id)
    }
    waiting = waiting.filter(({ id }) => !made.has(id))
  }
  return made
}

async function addTemplates(
  library: string,
  { templates = [] }: Manifest,
  files: ReadonlyMap<string, Uint8Array>,
): Promise<void> {
  if (templates.length === 0) return
  const { data: known } = await supabase
    .from('note_templates')
    .select('title, body')
    .eq('library_id', library)
    .throwOnError()
  const added = templates.flatMap(({ title, path }) => {
    const bytes = files.get(path)
    const template = { title: title.slice(0, MAX_TITLE), body: new TextDecoder().decode(bytes) }
    const isKnown = known.some((one) => one.title === template.title && one.body === template.body)
    return !bytes || isKnown ? [] : [{ ...template, library_id: library }]
  })
  if (added.length > 0) await supabase.from('note_templates').insert(added).throwOnError()
}

const LONGEST_TAG = 60
const tagKey = (name: string) => storableName(name, LONGEST_TAG).toLowerCase()

/** Creates missing tags. @returns ids by lower-case name. */
async function makeTags(
  library: string,
  names: readonly string[],
  colors: readonly { name: string; color: string }[],
): Promise<Map<string, string>> {
  const { data: known } = await supabase.from('tags').select('id, name').eq('library_id', library).throwOnError()
  const tags = new Map(known.map(({ id, name }) => [tagKey(name), id]))
  for (const name of names) {
    const key = tagKey(name)
    if (!key || tags.has(key)) continue
    const color = colors.find((tag) => tagKey(tag.name) === key)?.color
    const { data } = await supabase
      .from('tags')
      .insert({
        library_id: library,
        name: storableName(name, LONGEST_TAG),
        ...(color && /^[a-z]{3,20}$/.test(color) ? { color } : {}),
      })
      .select('id')
      .single()
      .throwOnError()
    tags.set(key, data.id)
  }
  return tags
}

async function putTags(library: string, document: string, names: readonly string[], tags: ReadonlyMap<string, string>) {
  const ids = new Set(names.map((name) => tags.get(tagKey(name))).filter((id) => id !== undefined))
  if (ids.size === 0) return
  await supabase
    .from('document_tags')
    .insert([...ids].map((tag_id) => ({ library_id: library, document_id: document, tag_id })))
    .throwOnError()
}

type Links = ReturnType<typeof linksWithin>

/** Assigns ids in advance, so that links between documents can be written. */
function linksWithin(library: string, { documents }: Manifest) {
  const ids = new Map(
    documents.filter(({ kind }) => kind !== 'link').map(({ id }) => [id, crypto.randomUUID() as string]),
  )
  return {
    idOf: (id: string): string => ids.get(id) ?? crypto.randomUUID(),
    relink: (text: string): string =>
      text.replaceAll(ADDRESS, (address, id: string) => {
        const made = ids.get(id)
        return made ? documentAddress(library, made) : address
      }),
  }
}
const ADDRESS = /\/l\/[0-9a-f-]{36}\/d\/([0-9a-f-]{36})/g

async function addDocument(
  library: string,
  document: ExportedDocument,
  files: ReadonlyMap<string, Uint8Array>,
  collection: string | undefined,
  links: Links,
): Promise<string> {
  const id = await addContents(library, document, files, collection, links)
  const reference = referenceOf(document.reference)
  if (document.summary || reference) {
    await describeDocument(id, {
      summary: document.summary.slice(0, 2000),
      ...(reference ? { reference: storable(reference) } : {}),
    })
  }
  return id
}

async function describeDocument(id: string, facts: { summary?: string; reference?: Reference }): Promise<void> {
  await supabase.from('documents').update(facts).eq('id', id).throwOnError()
}

async function addContents(
  library: string,
  document: ExportedDocument,
  files: ReadonlyMap<string, Uint8Array>,
  collection: string | undefined,
  { idOf, relink }: Links,
): Promise<string> {
  const { kind, title, url, versions } = document
  const place = collection ? { library, collection } : { library }
  const contents = versions.map(({ path, file_name, attachments = true }) => {
    const bytes = files.get(path)
    if (!bytes) throw new Error(t('“{path}” is not in the ZIP.', { path }))
    return { bytes: new Uint8Array(bytes), name: file_name ?? `${truncateName(title)}${endingOf(path)}`, attachments }
  })
  if (kind === 'note') {
    const texts = contents.map(({ bytes }) => relink(new TextDecoder().decode(bytes)))
    const [first = '', ...later] = texts
    const { data } = await supabase
      .rpc('add_note', { ...place, document: idOf(document.id), title: title.slice(0, MAX_TITLE), body: first })
      .throwOnError()
    await addPictures(library, data.id, picturesIn(texts.join('\n')), picturesFolder(document), files)
    let based_on = data.current_version_id ?? ''
    for (const body of later) {
      const { data: saved } = await supabase.rpc('save_note', { document: data.id, body, based_on }).throwOnError()
      based_on = saved.id
    }
    return data.id
  }
  const id = idOf(document.id)
  const link = { ...place, document: id, url: url ?? '', title: title.slice(0, MAX_TITLE) }
  if (contents.length === 0) {
    if (kind !== 'link') throw new Error(t('It had no file.'))
    // Fetches the current page, because the export didn't include it.
    await supabase.rpc('add_link', link).throwOnError()
  }
  for (const [index, { bytes, name, attachments }] of contents.entries()) {
    const path = `${library}/${id}/${crypto.randomUUID()}/file${endingOf(name)}`
    const { error } = await supabase.storage.from('documents').upload(path, new Blob([bytes]), {
      contentType: 'application/octet-stream',
      cacheControl: '31536000',
    })
    if (error) throw error
    if (kind === 'link' && index === 0) await supabase.rpc('add_link', { ...link, path }).throwOnError()
    else
      await supabase
        .rpc('add_file', {
          ...place,
          document: id,
          path,
          file_name: truncateName(name).slice(-255),
          title: title.slice(0, MAX_TITLE),
          content_hash: await sha256(bytes),
          attachments,
        })
        .throwOnError()
  }
  return id
}

/** Skips pictures missing from the export. */
async function addPictures(
  library: string,
  note: string,
  names: readonly string[],
  folder: string,
  files: ReadonlyMap<string, Uint8Array>,
): Promise<void> {
  for (const name of names) {
    const bytes = files.get(`${folder}${name}`)
    const contentType = pictureType(name)
    if (!bytes || !contentType) continue
    const { error } = await supabase.storage
      .from(PICTURES)
      .upload(picturePath(library, note, name), new Blob([new Uint8Array(bytes)], { type: contentType }), {
        contentType,
        cacheControl: '31536000',
      })
    if (error) throw error
  }
}

const LONGEST_COMMENT = 10_000

/** Keeps threads. Comments are imported under the importer's name and start with author and date. */
async function addComments(library: string, document: string, { comments }: ExportedDocument): Promise<number> {
  const made = new Map<string, string>()
  const inOrder = comments.toSorted((one, other) => one.created_at.localeCompare(other.created_at))
  for (const { id, parent_id, body, quote, color, page, created_at, created_by, resolved_at } of inOrder) {
    const from = t('{name}, {date}:', { name: created_by ?? t('Someone'), date: formatDate(created_at) })
    // A highlight has no text to name its author.
    const isHighlight = body === '' && quote !== null && parent_id === null
    const { data } = await supabase
      .from('comments')
      .insert({
        library_id: library,
        document_id: document,
        parent_id: made.get(parent_id ?? '') ?? null,
        body: isHighlight ? '' : `${from} ${body}`.slice(0, LONGEST_COMMENT),
        ...(isHighlight ? { color: colorOf(color ?? null).value } : {}),
        quote: quote?.slice(0, 2000) ?? null,
        page,
      })
      .select('id')
      .single()
      .throwOnError()
    made.set(id, data.id)
    if (resolved_at) await supabase.from('comments').update({ resolved_at }).eq('id', data.id).throwOnError()
  }
  return made.size
}
