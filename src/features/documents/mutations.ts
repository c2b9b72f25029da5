import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { inBatches, inPages, LARGE_BATCH } from '../../lib/batches.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { defineMutation, orThrow } from '../../lib/mutations.ts'
import { defineOfflineMutation } from '../../lib/offline/outbox.ts'

const readBatches = (documents: readonly string[]) =>
  inBatches(documents, (ids) => supabase.rpc('read_again', { documents: ids }).throwOnError())

/** Reads documents again, ahead of all others; fetches a link's page first. Progress arrives on the library's channel. */
export const readAgain = defineMutation({
  mutationFn: ({ documents }: { library: string; documents: readonly string[] }) => readBatches(documents),
  invalidates: ({ library, documents }) => [...listsOf(library), keys.indexing(library), ...openOf(library, documents)],
})

export const readFailedAgain = defineMutation({
  mutationFn: async (library: string) => {
    const documents = supabase.from('documents').select('id').eq('library_id', library)
    const failed = documents.eq('state', 'failed').is('deleted_at', null).order('id')
    const rows = await inPages((first, last) => failed.range(first, last).throwOnError())
    await readBatches(rows.map(({ id }) => id))
  },
  invalidates: (library) => [...listsOf(library), keys.indexing(library)],
})

type NewNote = {
  library: string
  /** Chosen by the browser, so that a retry creates no second note. */
  document: string
  /** The first version's id, if the browser continues before the database responds. */
  version?: string
  /** Defaults to the first line of the text. */
  title?: string
  body: string
  collection: string | undefined
}

async function insertNote({ collection, ...note }: NewNote) {
  const { data } = await supabase.rpc('add_note', collection ? { ...note, collection } : note).throwOnError()
  return data
}

/** Deletes the person's own note if it's still blank. */
export const discardBlankNote = defineMutation({
  mutationFn: ({ note }: { library: string; note: string }) =>
    supabase.from('documents').delete().eq('id', note).is('deleted_at', null).throwOnError(),
  invalidates: ({ library }) => [keys.documents(library), keys.titles(library)],
})

export const addNote = defineOfflineMutation({
  name: 'add-note',
  mutationFn: insertNote,
  invalidates: ({ library }) => [keys.documents(library)],
})

type NewLink = {
  library: string
  url: string
  collection: string | undefined
  /** Defaults to the page's title. */
  title?: string
  /** The page's HTML from the browser. Without it, the page is fetched. */
  page?: Blob | undefined
}

/** @returns the link, new or existing; see `added`. */
export const addLink = defineMutation({
  mutationFn: async ({ library, url, collection, title, page }: NewLink) => {
    const { data: known } = await supabase
      .from('documents')
      .select('id, title')
      .eq('library_id', library)
      .eq('url', url)
      .is('deleted_at', null)
      .limit(1)
      .maybeSingle()
      .throwOnError()
    if (known) return { ...known, added: false }
    const link = { library, url, ...(collection && { collection }), ...(title && { title }) }
    const { data } = await supabase
      .rpc('add_link', page ? { ...link, ...(await storePage(library, page)) } : link)
      .throwOnError()
    return { id: data.id, title: data.title, added: true }
  },
  invalidates: ({ library }) => [keys.documents(library)],
})

async function storePage(library: string, page: Blob): Promise<{ document: string; path: string }> {
  const document = crypto.randomUUID()
  const path = `${library}/${document}/${crypto.randomUUID()}/page.html`
  await orThrow(supabase.storage.from('documents').upload(path, page, { contentType: 'text/html' }))
  return { document, path }
}

const listsOf = (library: string) => [
  keys.documents(library),
  keys.trash(library),
  keys.search(library),
  keys.titles(library),
]

/** Only a single document may be open. */
const openOf = (library: string, [document, ...more]: readonly string[]) =>
  document === undefined || more.length > 0 ? [] : [keys.document(library, document)]

/** Moves documents to the trash or restores them. Retention rules determine how long the trash keeps them. */
export const setDeleted = defineOfflineMutation({
  name: 'trash-documents',
  mutationFn: async ({ documents, deleted }: { library: string; documents: readonly string[]; deleted: boolean }) => {
    const trash = (ids: string[]) =>
      supabase.rpc('trash_documents', { documents: ids, trashed: deleted }).throwOnError()
    await inBatches(documents, trash, LARGE_BATCH)
  },
  invalidates: ({ library }) => listsOf(library),
})

/** Deletes documents permanently. Files go first, because the documents store their paths. */
export const deleteForGood = defineMutation({
  mutationFn: async ({ documents }: { library: string; documents: readonly string[] }) => {
    await inBatches(documents, async (ids) => {
      const { data: versions } = await supabase
        .from('versions')
        .select('storage_path, rendition_path')
        .in('document_id', ids)
        .throwOnError()
      const paths = versions.flatMap(({ storage_path, rendition_path }) => [storage_path, rendition_path])
      await inBatches(
        paths.filter((path) => path !== null),
        async (files) => {
          await orThrow(supabase.storage.from('documents').remove(files))
        },
      )
      await supabase.from('documents').delete().in('id', ids).throwOnError()
    })
  },
  invalidates: ({ library }) => listsOf(library),
})

export const renameDocument = defineOfflineMutation({
  name: 'rename-document',
  mutationFn: ({ document, title }: { library: string; document: string; title: string }) =>
    supabase.from('documents').update({ title }).eq('id', document).throwOnError(),
  invalidates: ({ library, document }) => [...listsOf(library), keys.document(library, document)],
})

type Move = { library: string; documents: readonly string[]; collection: string | null }

export const moveDocuments = defineOfflineMutation({
  name: 'move-documents',
  mutationFn: async ({ documents, collection }: Move) => {
    const target = collection === null ? {} : { collection }
    const move = (ids: string[]) => supabase.rpc('move_documents', { documents: ids, ...target }).throwOnError()
    await inBatches(documents, move, LARGE_BATCH)
  },
  invalidates: ({ library, documents }) => [...listsOf(library), ...openOf(library, documents)],
})

type Verification = {
  library: string
  document: string
  /** The last valid day, `YYYY-MM-DD`; null ends the verification. */
  until: string | null
  verifier: string | null
}

export const setVerification = defineMutation({
  mutationFn: async ({ document, until, verifier }: Verification) => {
    const { data } = await supabase
      .from('documents')
      .update({ verified_until: until, verifier_id: verifier })
      .eq('id', document)
      .select('id')
      .throwOnError()
    // Row security raises no error but changes no row.
    if (data.length === 0) throw new Error(t('Only people who can edit this document can verify it.'))
  },
  invalidates: ({ library, document }) => [...listsOf(library), keys.document(library, document)],
})
