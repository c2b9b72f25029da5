import { createStore, del, entries, set } from 'idb-keyval'
import type { Destination } from './upload-queue.ts'

type Kept = Destination & { file: File; person: string }

let store: ReturnType<typeof createStore> | undefined
const opened = () => {
  store ??= createStore('carrel-uploads', 'files')
  return store
}

/** Puts a file that is on its way beside the page, from where it goes on after a reload.
 *  @returns whether there was room for it. */
export async function keepUpload(id: string, { library, collection, file, person }: Kept): Promise<boolean> {
  try {
    await set(id, { library, collection, file, person } satisfies Kept, opened())
    return true
  } catch {
    // A private window, or a full disk: it still travels, as long as the page is open.
    return false
  }
}

export const dropUpload = (id: string): void => void del(id, opened()).catch(() => {})

/** What a person had on its way when the page was closed. What somebody else left here is thrown away. */
export async function keptUploads(person: string): Promise<(Destination & { id: string; file: File })[]> {
  const all = await entries<string, Kept>(opened()).catch((): [string, Kept][] => [])
  for (const [id, kept] of all) if (kept.person !== person) dropUpload(id)
  return all.flatMap(([id, { library, collection, file, person: owner }]) =>
    owner === person ? [{ id, library, collection, file }] : [],
  )
}
