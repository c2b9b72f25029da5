import { createStore, del, entries, set } from 'idb-keyval'
import type { Destination } from './upload-queue.ts'

type Kept = Destination & { file: File; person: string }

let store: ReturnType<typeof createStore> | undefined
const opened = () => {
  store ??= createStore('carrel-uploads', 'files')
  return store
}

/** Stores a file that is being uploaded, so that the upload continues after a reload.
 *  @returns whether there was room for it. */
export async function persistUpload(id: string, { library, collection, file, person }: Kept): Promise<boolean> {
  try {
    await set(id, { library, collection, file, person } satisfies Kept, opened())
    return true
  } catch {
    // A private window, or a full disk: the upload continues as long as the page is open.
    return false
  }
}

export const discardUpload = (id: string): void => void del(id, opened()).catch(() => {})

/** The uploads that a person had under way when the page was closed. Those of another person are discarded. */
export async function readPersistedUploads(person: string): Promise<(Destination & { id: string; file: File })[]> {
  const all = await entries<string, Kept>(opened()).catch((): [string, Kept][] => [])
  for (const [id, kept] of all) if (kept.person !== person) discardUpload(id)
  return all.flatMap(([id, { library, collection, file, person: owner }]) =>
    owner === person ? [{ id, library, collection, file }] : [],
  )
}
