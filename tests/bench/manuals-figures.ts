// Run by carrel.ts inside `undock run`: adds manuals to a library like the app, while searching it.
import { createClient } from '@supabase/supabase-js'
import type { Database } from '../../supabase/functions/_shared/database.ts'
import { createManualMaker } from './manual.ts'

export type ManualsFigures = {
  readonly manuals: number
  readonly bytes: number
  readonly passages: number
  /** Milliseconds from the first upload until the first, and the last, manual is found. */
  readonly first: number
  readonly last: number
  /** Milliseconds of each concurrent search. */
  readonly searches: number[]
}

const MANUALS = 18
const AT_ONCE = 3
const PAUSE = 250

const person = createClient<Database>(process.env.SUPABASE_URL ?? '', process.env.SUPABASE_PUBLISHABLE_KEY ?? '')
await person.auth.signInWithPassword({ email: 'demo@carrel.local', password: 'carrel-demo-library' })
const { data: library } = await person.rpc('create_library', { name: 'Manuals' }).throwOnError()

const { makeManual, words } = createManualMaker(3)
const manuals: Uint8Array<ArrayBuffer>[] = []
for (let number = 1; number <= MANUALS; number++) manuals.push(await makeManual(number))

const started = performance.now()
const searches: number[] = []
const uploads = Promise.all(Array.from({ length: AT_ONCE }, (_, lane) => uploadEach(lane)))
let first: number | null = null
for (;;) {
  const from = performance.now()
  await person.rpc('search_passages', { library: library.id, query: words(4) }).throwOnError()
  searches.push(performance.now() - from)
  const { data } = await person.rpc('indexing_progress', { library: library.id }).single().throwOnError()
  if (data.failed > 0) throw new Error('A manual could not be read.')
  if (data.done > 0) first ??= performance.now() - started
  if (data.done === MANUALS) break
  await new Promise((resolve) => setTimeout(resolve, PAUSE))
}
const last = performance.now() - started
await uploads
const { count } = await person
  .from('passages')
  .select('*', { count: 'exact', head: true })
  .eq('library_id', library.id)
  .throwOnError()
const figures: ManualsFigures = {
  manuals: MANUALS,
  bytes: manuals.reduce((sum, { length }) => sum + length, 0),
  passages: count ?? 0,
  first: first ?? last,
  last,
  searches,
}
console.log(JSON.stringify(figures))

async function uploadEach(lane: number): Promise<void> {
  for (let number = lane; number < MANUALS; number += AT_ONCE) {
    const document = crypto.randomUUID()
    const name = `manual-${number + 1}.pdf`
    const path = `${library.id}/${document}/${crypto.randomUUID()}/${name}`
    const { error } = await person.storage
      .from('documents')
      .upload(path, new Blob([manuals[number] ?? '']), { contentType: 'application/pdf' })
    if (error) throw error
    await person.rpc('add_file', { library: library.id, document, path, file_name: name }).throwOnError()
  }
}
