import { onlineManager, type QueryClient } from '@tanstack/react-query'
import { createStore, del, entries, set } from 'idb-keyval'
import { MAX_LENGTH } from '../../../supabase/functions/_shared/facts.ts'
import { failureText } from '../../domain/failure.ts'
import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { batched } from '../../lib/batched.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { onSignOut } from '../../lib/session/sign-out-cleanup.ts'
import { sha256 } from '../../lib/sha256.ts'
import { useStore } from '../../lib/store.ts'
import { BEGINNING, fileFault, titleOf } from './limits.ts'
import { PIECE, sendFile } from './transport.ts'
import { createUploadQueue, type Destination, type UploadQueue, type UploadSteps } from './upload-queue.ts'

type Kept = Destination & { file: File; person: string }

let store: ReturnType<typeof createStore> | undefined
const opened = () => {
  store ??= createStore('carrel-uploads', 'files')
  return store
}

/** Stores a copy of an upload in this browser. @returns whether there was room. */
async function persistUpload(id: string, { library, collection, file, person }: Kept): Promise<boolean> {
  try {
    await set(id, { library, collection, file, person } satisfies Kept, opened())
    return true
  } catch {
    // Private window or full disk: the upload lasts as long as the page.
    return false
  }
}

const discardUpload = (id: string): void => void del(id, opened()).catch(() => {})

/** Returns a person's stored uploads, and deletes other people's. */
async function readPersistedUploads(person: string): Promise<(Destination & { id: string; file: File })[]> {
  const all = await entries<string, Kept>(opened()).catch((): [string, Kept][] => [])
  for (const [id, kept] of all) if (kept.person !== person) discardUpload(id)
  return all.flatMap(([id, { library, collection, file, person: owner }]) =>
    owner === person ? [{ id, library, collection, file }] : [],
  )
}

/** The owner of these uploads; undefined before sign-in. */
let person: string | undefined

const steps: UploadSteps = {
  check: async (file) => fileFault(file, new Uint8Array(await file.slice(0, BEGINNING).arrayBuffer())),
  findDuplicate: async (file, library) => {
    const hash = await sha256(await file.arrayBuffer())
    const { data } = await supabase
      .from('documents')
      .select('id, title')
      .eq('library_id', library)
      .eq('content_hash', hash)
      .is('deleted_at', null)
      .limit(1)
      .maybeSingle()
      .throwOnError()
    return data ?? { hash }
  },
  checkChange: async (file, hash) => {
    // Browsers can't read a file that was changed or deleted.
    const now = await file.arrayBuffer().then(sha256, () => undefined)
    return now === hash ? undefined : t('This file changed during the upload. Add it again.')
  },
  isResumable: (file) => file.size > PIECE,
  send: sendFile,
  file: async ({ library, collection, file }, { document, path, hash }) => {
    await supabase
      .rpc('add_file', {
        library,
        document,
        path,
        // Shared files may have names that no file system allows.
        file_name: file.name.replaceAll(/[/\\]/g, '-').slice(-MAX_LENGTH['versions.file_name']),
        title: titleOf(file.name),
        content_hash: hash,
        ...(collection ? { collection } : {}),
      })
      .throwOnError()
  },
  keep: async ({ id, library, collection, file }) =>
    person !== undefined && (await persistUpload(id, { library, collection, file, person })),
  drop: discardUpload,
  now: () => performance.now(),
  explain: failureText,
}

export const uploads: UploadQueue = createUploadQueue(steps)
onlineManager.subscribe((isOnline) => isOnline && uploads.retryFailed())
onSignOut(() => {
  uploads.clear()
  person = undefined
})

export async function restoreUploads(whose: string): Promise<void> {
  if (person === whose) return
  person = whose
  uploads.restore(await readPersistedUploads(whose))
}

export const useUploads = () => useStore(uploads)

/** Milliseconds before and between refreshes of the shelf. */
const SOON = 60
const SHELF_PACE = 1_000

/** Shows finished uploads on the shelf, even without the library's channel. @returns a function that stops it. */
export function refreshShelvesWithUploads(queryClient: QueryClient): () => void {
  const seen = new Set<string>()
  const refresh = (libraries: readonly string[]) => {
    for (const library of new Set(libraries)) void queryClient.invalidateQueries({ queryKey: keys.documents(library) })
  }
  const shelves = batched(refresh, SOON, SHELF_PACE)
  const stop = uploads.subscribe(() => {
    for (const { id, state, library } of uploads.get()) {
      if (state.step !== 'done' || seen.has(id)) continue
      seen.add(id)
      shelves.add(library)
    }
  })
  return () => {
    stop()
    shelves.cancel()
  }
}
