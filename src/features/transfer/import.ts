import { MAX_LENGTH, MAX_TITLE } from '../../../supabase/functions/_shared/facts.ts'
import { failureText, isUnanswered } from '../../domain/failure.ts'
import { colorOf } from '../../domain/highlight-colors.ts'
import { PICTURES, picturePath, picturesIn, pictureType } from '../../domain/note-pictures.ts'
import { documentAddress } from '../../domain/note-references.ts'
import { referenceOf, storable } from '../../domain/reference.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { inBatches } from '../../lib/batches.ts'
import { formatDate } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { orThrow } from '../../lib/mutations.ts'
import { sha256, uuidOf } from '../../lib/sha256.ts'
import { type FieldValues, makeFields } from './import-fields.ts'
import type { Export, ExportedDocument, Manifest } from './manifest.ts'
import { endingOf, picturesFolder, storableName, truncateName } from './paths.ts'

export type ImportReport = {
  documents: number
  /** Documents that the library has already; `trashed` of them are in the trash. */
  known: number
  trashed: number
  /** Whether the connection was lost before the end. */
  isInterrupted: boolean
  problems: { title: string; reason: string }[]
}

type Progress = (done: number, total: number) => void

/** What an import does with a document of the export. */
type Step = { id: string; document: ExportedDocument } & (
  | { kind: 'add' }
  /** The library has it; a note may lack pictures. */
  | { kind: 'complete' }
  /** It is in the trash. */
  | { kind: 'skip' }
)
type Kept = Exclude<Step, { kind: 'add' }>
/** `finished`: everything was imported before, so collections and tags that were deleted since stay deleted. */
type Plan = { kind: 'finished'; steps: Kept[] } | { kind: 'unfinished'; steps: Step[] }

/** Imports an export into a library: collections with fields, tags, templates, documents with all versions, comments.
 *  Runs with the person's rights and under their name. Ids follow from those in the export, so an import that broke off
 *  continues, and a repeated one adds only what is new. */
export async function importExport(
  library: string,
  { manifest, files, problems }: Export,
  onProgress: Progress,
): Promise<ImportReport> {
  const { idOf, existing } = await planIds(library, manifest.documents, (ids) =>
    supabase.from('documents').select('id, deleted_at').eq('library_id', library).in('id', ids).throwOnError(),
  )
  const plan = planDocuments(manifest.documents, idOf, existing)
  const report: ImportReport = {
    documents: 0,
    known: plan.steps.filter(({ kind }) => kind !== 'add').length,
    trashed: plan.steps.filter(({ kind }) => kind === 'skip').length,
    isInterrupted: false,
    problems: [...problems],
  }
  await addTemplates(library, manifest, files)
  const complete = async ({ kind, id, document }: Kept) => {
    if (kind === 'complete') await addPictures(library, id, document, files)
  }
  if (plan.kind === 'finished') return runSteps(plan.steps, complete, report, onProgress)
  const target = await prepare(library, manifest, report)
  const run = async (step: Step) => {
    if (step.kind !== 'add') return complete(step)
    const { id, document } = step
    await addDocument({ ...target, library, id, document, files, idOf, report })
    report.documents += 1
    await addPictures(library, id, document, files)
  }
  return runSteps(plan.steps, run, report, onProgress)
}

/** @param existing The library's documents by id. */
export function planDocuments(
  documents: readonly ExportedDocument[],
  idOf: (id: string) => string,
  existing: ReadonlyMap<string, { deleted_at: string | null }>,
): Plan {
  // Mails last: reading them creates links to their attachments.
  const inOrder = documents.toSorted((one, other) => Number(isMail(one)) - Number(isMail(other)))
  const steps = inOrder.map((document): Step => {
    const id = idOf(document.id)
    const row = existing.get(id)
    return { id, document, kind: row ? (row.deleted_at ? 'skip' : 'complete') : 'add' }
  })
  const kept = steps.flatMap((step) => (step.kind === 'add' ? [] : [step]))
  return kept.length > 0 && kept.length === steps.length
    ? { kind: 'finished', steps: kept }
    : { kind: 'unfinished', steps }
}

async function runSteps<S extends Step>(
  steps: readonly S[],
  run: (step: S) => Promise<void>,
  report: ImportReport,
  onProgress: Progress,
): Promise<ImportReport> {
  for (const [index, step] of steps.entries()) {
    try {
      await run(step)
    } catch (error) {
      report.isInterrupted = isUnanswered(error)
      if (report.isInterrupted) return report
      report.problems.push({ title: step.document.title, reason: failureText(error) })
    }
    onProgress(index + 1, steps.length)
  }
  return report
}

const isMail = ({ versions }: ExportedDocument): boolean => /\.eml$/i.test(versions.at(-1)?.file_name ?? '')

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Returns the ids of an export's rows in this library, and the rows that exist. */
async function planIds<Row extends { id: string }>(
  library: string,
  rows: readonly { id: string }[],
  find: (ids: string[]) => PromiseLike<{ data: Row[] }>,
) {
  const planned = new Map<string, string>()
  for (const { id } of rows) planned.set(id, await uuidOf(`${library} ${id}`))
  const existing = new Map<string, Row>()
  // An export of this very library has its ids.
  const ids = [...planned].flatMap(([id, own]) => (UUID.test(id) ? [id, own] : [own]))
  await inBatches(ids, async (batch) => {
    for (const row of (await find(batch)).data) existing.set(row.id, row)
  })
  return { existing, idOf: (id: string): string => (existing.has(id) ? id : (planned.get(id) ?? id)) }
}

type Target = { collections: ReadonlyMap<string, string>; tags: ReadonlyMap<string, string>; valuesOf: FieldValues }

async function prepare(library: string, manifest: Manifest, { problems }: ImportReport): Promise<Target> {
  const collections = await makeCollections(library, manifest)
  const tags = await makeTags(library, manifest)
  return { collections, tags, valuesOf: await makeFields(library, manifest, collections, problems) }
}

/** The database's nesting limit. */
const MAX_DEPTH = 20

/** Creates missing ones, parents first. @returns new ids by old. */
async function makeCollections(library: string, { collections }: Manifest): Promise<Map<string, string>> {
  const { idOf, existing } = await planIds(library, collections, (ids) =>
    supabase.from('collections').select('id').eq('library_id', library).in('id', ids).throwOnError(),
  )
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
      const own = parent && depth > MAX_DEPTH ? parent : idOf(id)
      made.set(id, own)
      if (own === parent || existing.has(own)) continue
      const row = { id: own, name: storableName(name, 120) || t('Untitled'), parent_id: parent ?? null }
      await supabase
        .from('collections')
        .insert({ ...row, library_id: library })
        .throwOnError()
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

const tagKey = (name: string) => storableName(name, MAX_LENGTH['tags.name']).toLowerCase()

/** Creates missing tags. @returns ids by lower-case name. */
async function makeTags(library: string, { documents, tags: colors }: Manifest): Promise<Map<string, string>> {
  const { data: known } = await supabase.from('tags').select('id, name').eq('library_id', library).throwOnError()
  const tags = new Map(known.map(({ id, name }) => [tagKey(name), id]))
  const names = new Map(documents.flatMap(({ tags: own }) => own.map((name) => [tagKey(name), name])))
  const added = [...names].flatMap(([key, name]) => {
    const color = colors.find((tag) => tagKey(tag.name) === key)?.color ?? ''
    const row = { id: crypto.randomUUID(), library_id: library, name: storableName(name, MAX_LENGTH['tags.name']) }
    return key && !tags.has(key) ? [{ ...row, color: /^[a-z]{3,20}$/.test(color) ? color : 'slate' }] : []
  })
  if (added.length > 0) await supabase.from('tags').insert(added).throwOnError()
  return new Map([...tags, ...added.map(({ id, name }): [string, string] => [tagKey(name), id])])
}

type Addition = Target & {
  library: string
  id: string
  document: ExportedDocument
  files: Export['files']
  idOf: (id: string) => string
  report: ImportReport
}

async function addDocument(addition: Addition): Promise<void> {
  const { library, id, document, report, collections, tags, valuesOf } = addition
  const { kind, url, collection_id } = document
  const title = storableName(document.title, MAX_TITLE) || t('Untitled')
  const versions = await storeVersions({ ...addition, document: { ...document, title } })
  const reference = referenceOf(document.reference)
  const contents = {
    ...{ id, kind, title, url, versions },
    summary: document.summary.slice(0, MAX_LENGTH['documents.summary']),
    collection: collections.get(collection_id ?? '') ?? null,
    ...(reference ? { reference: storable(reference) } : {}),
    tags: [...new Set(document.tags.flatMap((name) => tags.get(tagKey(name)) ?? []))],
    comments: commentsOf(document),
  }
  const fields = valuesOf(document)
  const { error } = await supabase.rpc('import_document', { library, document: { ...contents, fields } })
  if (!error) return
  if (fields.length === 0 || isUnanswered(error)) throw error
  await supabase.rpc('import_document', { library, document: { ...contents, fields: [] } }).throwOnError()
  report.problems.push({ title, reason: failureText(error) })
}

const ADDRESS = /\/l\/[0-9a-f-]{36}\/d\/([0-9a-f-]{36})/g

/** Uploads a document's files. @returns its versions for `import_document`; none for a link whose page isn't in the export. */
async function storeVersions({ library, id, document: { kind, title, versions }, files, idOf }: Addition) {
  const stored: { body?: string; path?: string; file_name?: string; content_hash?: string; attachments?: boolean }[] =
    []
  for (const { path: source, file_name, attachments = true } of versions) {
    const bytes = files.get(source)
    if (!bytes) throw new Error(t('“{path}” is not in the ZIP.', { path: source }))
    if (kind === 'note') {
      const text = new TextDecoder().decode(bytes)
      const body = text.replaceAll(ADDRESS, (_, old: string) => documentAddress(library, idOf(old)))
      // Blank notes are deleted after a day.
      stored.push({ body: body || `# ${title}` })
      continue
    }
    const name = truncateName(file_name ?? `${truncateName(title)}${endingOf(source)}`).slice(-255)
    const path = `${library}/${id}/${crypto.randomUUID()}/file${endingOf(name)}`
    await store('documents', path, bytes, 'application/octet-stream')
    stored.push({ path, file_name: name, content_hash: await sha256(new Uint8Array(bytes)), attachments })
  }
  if (stored.length === 0 && kind !== 'link') throw new Error(t('It had no file.'))
  return stored
}

async function store(bucket: string, path: string, bytes: Uint8Array, contentType: string): Promise<void> {
  const content = new Blob([new Uint8Array(bytes)], { type: contentType })
  await orThrow(supabase.storage.from(bucket).upload(path, content, { contentType, cacheControl: '31536000' }))
}

/** Adds a note's missing pictures, and skips those missing from the export. */
async function addPictures(library: string, note: string, document: ExportedDocument, files: Export['files']) {
  if (document.kind !== 'note') return
  const text = document.versions.map(({ path }) => new TextDecoder().decode(files.get(path))).join('\n')
  const names = picturesIn(text)
  if (names.length === 0) return
  const folder = picturePath(library, note, '')
  const { data: stored, error } = await supabase.storage.from(PICTURES).list(folder, { limit: 10_000 })
  if (error) throw error
  for (const name of names) {
    const bytes = files.get(`${picturesFolder(document)}${name}`)
    const type = pictureType(name)
    if (!bytes || !type || stored.some((one) => one.name === name)) continue
    await store(PICTURES, `${folder}${name}`, bytes, type)
  }
}

/** Keeps threads. Comments are imported under the importer's name and start with author and date. */
function commentsOf({ comments }: ExportedDocument) {
  const ids = new Map(comments.map(({ id }) => [id, crypto.randomUUID()]))
  const inOrder = comments.toSorted((one, other) => one.created_at.localeCompare(other.created_at))
  return inOrder.map(({ id, parent_id, body, quote, color, page, created_at, created_by, resolved_at }) => {
    const from = t('{name}, {date}:', { name: created_by ?? t('Someone'), date: formatDate(created_at) })
    // A highlight has no text to name its author.
    const isHighlight = body === '' && quote !== null && parent_id === null
    return {
      id: ids.get(id) ?? null,
      parent_id: ids.get(parent_id ?? '') ?? null,
      body: isHighlight ? '' : `${from} ${body}`.slice(0, MAX_LENGTH['comments.body']),
      color: isHighlight ? colorOf(color ?? null).value : null,
      quote: quote?.slice(0, MAX_LENGTH['comments.quote']) ?? null,
      page,
      is_resolved: resolved_at !== null,
    }
  })
}
