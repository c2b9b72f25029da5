import type { QueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { describeFailure, isUnknown } from '../../domain/failure.ts'
import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { onSignOut } from '../../lib/session/sign-out-cleanup.ts'
import { BEGINNING, fileFault, titleOf } from './limits.ts'
import { discardUpload, persistUpload, readPersistedUploads } from './persisted-uploads.ts'
import { PIECE, sendFile } from './transport.ts'
import { createUploadQueue, type UploadQueue, type UploadSteps } from './upload-queue.ts'

const LONGEST_NAME = 255

/** Whose uploads these are; undefined before anybody has signed in. */
let person: string | undefined

const steps: UploadSteps = {
  check: async (file) => fileFault(file, new Uint8Array(await file.slice(0, BEGINNING).arrayBuffer())),
  findDuplicate: async (file, library) => {
    const hash = await sha256(file)
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
  isResumable: (file) => file.size > PIECE,
  send: sendFile,
  file: async ({ library, collection, file }, { document, path, hash }) => {
    await supabase
      .rpc('add_file', {
        library,
        document,
        path,
        // Another app that shares a file may name it as no file system would.
        file_name: file.name.replaceAll(/[/\\]/g, '-').slice(-LONGEST_NAME),
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
  explain: (error) => {
    const failure = describeFailure(error)
    return isUnknown(failure) ? failure.advice : `${failure.title}. ${failure.advice}`
  },
}

async function sha256(file: File): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

export const uploads: UploadQueue = createUploadQueue(steps)
onSignOut(() => {
  uploads.clear()
  person = undefined
})

/** Goes on with what this person had on its way before the page was reloaded. Once for each person. */
export async function restoreUploads(whose: string): Promise<void> {
  if (person === whose) return
  person = whose
  uploads.restore(await readPersistedUploads(whose))
}

export const useUploads = () => useSyncExternalStore(uploads.subscribe, uploads.get)

/** Shows a finished upload on the shelf at once, whether or not the library's channel is open.
 *  @returns a function that stops watching. */
export function refreshShelvesWithUploads(queryClient: QueryClient): () => void {
  const seen = new Set<string>()
  return uploads.subscribe(() => {
    for (const { id, state, library } of uploads.get()) {
      if (state.step !== 'done' || seen.has(id)) continue
      seen.add(id)
      void queryClient.invalidateQueries({ queryKey: keys.documents(library) })
    }
  })
}
