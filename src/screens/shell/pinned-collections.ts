import type { QueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import * as z from 'zod/mini'
import { describeFailure } from '../../domain/failure.ts'
import { collectionsQuery } from '../../features/collections/queries.ts'
import { shelfQuery } from '../../features/documents/queries.ts'
import { withDefaultSort } from '../../features/documents/shelf/shelf-search.ts'
import { fieldsQuery } from '../../features/fields/queries.ts'
import { commentsQuery, documentQuery, type OpenDocument, positionQuery } from '../../features/reader/queries.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { pinFiles, unpinFiles } from '../../lib/offline/file-cache.ts'
import { onSignOut } from '../../lib/session/sign-out-cleanup.ts'
import { createStore } from '../../lib/store.ts'

/** localStorage key of the collections kept on this device. */
const KEY = 'carrel.pinned'
const Stored = z.object({
  person: z.string(),
  collections: z.array(z.object({ library: z.string(), collection: z.string() })),
})
/** Pages fetched: enough for many thousand documents. */
const MAX_PAGES = 100

export type PinState =
  | { step: 'updating'; done: number; total: number | undefined }
  | { step: 'here' }
  | { step: 'failed'; reason: string }
type Pin = { library: string; collection: string; state: PinState; paths: readonly string[] }

let person: string | undefined
const pins = createStore<readonly Pin[]>([])
/** Serialized, so that two updates never decide together which files to delete. */
let updates = Promise.resolve()
const change = (collection: string, part: Partial<Pin>) =>
  pins.set(pins.get().map((pin) => (pin.collection === collection ? { ...pin, ...part } : pin)))

/** A collection's state on this device; undefined if it isn't kept. */
export const usePin = (collection: string | undefined): PinState | undefined =>
  useSyncExternalStore(pins.subscribe, () => pins.get().find((pin) => pin.collection === collection)?.state)

/** Updates the collections kept on this device, once per person. */
export function restorePins(whose: string, queryClient: QueryClient): void {
  if (person === whose) return
  person = whose
  const stored = readStored()
  if (stored?.person !== whose) return
  pins.set(stored.collections.map((one) => ({ ...one, state: { step: 'here' }, paths: [] })))
  if (pins.get().length > 0) refreshPins(queryClient)
}

function readStored(): z.infer<typeof Stored> | undefined {
  try {
    return Stored.safeParse(JSON.parse(localStorage.getItem(KEY) ?? 'null')).data
  } catch {
    // Another program may have written there, or storage may be missing.
    return undefined
  }
}

/** Keeps a collection's documents, without nested collections, readable offline on this device. */
export function pinCollection(library: string, collection: string, queryClient: QueryClient): void {
  if (pins.get().some((pin) => pin.collection === collection)) return
  pins.set([...pins.get(), { library, collection, state: { step: 'updating', done: 0, total: undefined }, paths: [] }])
  store()
  // Otherwise browsers may delete stored data when the disk is full.
  void navigator.storage?.persist?.().catch(() => false)
  refreshPins(queryClient)
}

export function unpinCollection(collection: string, queryClient: QueryClient): void {
  pins.set(pins.get().filter((pin) => pin.collection !== collection))
  store()
  refreshPins(queryClient)
}

function store(): void {
  const collections = pins.get().map(({ library, collection }) => ({ library, collection }))
  // Without storage, they are kept until the page is closed.
  try {
    localStorage.setItem(KEY, JSON.stringify({ person, collections }))
  } catch {}
}

/** Fetches new documents of kept collections and deletes those that have left. Does nothing offline. */
export function refreshPins(queryClient: QueryClient): void {
  if (!navigator.onLine || !('caches' in globalThis)) return
  updates = updates.then(async () => {
    for (const pin of pins.get()) await update(pin, queryClient)
    // Only if all could be listed: others' files may still be needed.
    if (pins.get().every(({ state }) => state.step === 'here')) {
      await unpinFiles(new Set(pins.get().flatMap(({ paths }) => paths))).catch(() => undefined)
    }
  })
}

async function update({ library, collection }: Pin, queryClient: QueryClient): Promise<void> {
  /** The person may stop keeping it, or sign out, while it's fetched. */
  const checkWanted = () => {
    if (!pins.get().some((pin) => pin.collection === collection))
      throw new Error('The collection is no longer kept offline.')
  }
  try {
    change(collection, { state: { step: 'updating', done: 0, total: undefined } })
    const wanted = withDefaultSort({ collection, sort: undefined }, await queryClient.query(collectionsQuery(library)))
    const shelf = await queryClient.infiniteQuery({ ...shelfQuery(library, wanted), pages: MAX_PAGES })
    await queryClient.prefetchQuery(fieldsQuery(library, collection))
    const listed = shelf.pages.flatMap(({ documents }) => documents)
    const documents: OpenDocument[] = []
    for (const { id } of listed) {
      checkWanted()
      documents.push(await queryClient.query(documentQuery(library, id)))
      await Promise.all([
        queryClient.prefetchQuery(commentsQuery(library, id)),
        queryClient.prefetchQuery(positionQuery(library, id)),
      ])
      change(collection, { state: { step: 'updating', done: documents.length, total: 2 * listed.length } })
    }
    const paths = documents.flatMap(({ version }) => version?.rendition_path ?? version?.storage_path ?? [])
    change(collection, { paths })
    const total = documents.length + paths.length
    const fetchFile = (path: string) => {
      checkWanted()
      return download(path)
    }
    await pinFiles(paths, fetchFile, (done) =>
      change(collection, { state: { step: 'updating', done: documents.length + done, total } }),
    )
    change(collection, { state: { step: 'here' } })
  } catch (error) {
    change(collection, { state: { step: 'failed', reason: reasonOf(error) } })
  }
}

function reasonOf(error: unknown): string {
  const isFull = error instanceof DOMException && error.name === 'QuotaExceededError'
  return isFull ? t('This device has no space left for it') : describeFailure(error).title
}

async function download(path: string): Promise<Blob> {
  const { data, error } = await supabase.storage.from('documents').download(path)
  if (error) throw error
  return data
}

onSignOut(() => {
  person = undefined
  pins.set([])
  localStorage.removeItem(KEY)
})
