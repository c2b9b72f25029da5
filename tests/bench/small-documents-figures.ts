// Run by carrel.ts inside `undock run`: adds many small documents to a library like the app.
import { createClient } from '@supabase/supabase-js'
import type { Database } from '../../supabase/functions/_shared/database.ts'
import { sentence } from './words.ts'

export type SmallDocumentsFigures = {
  readonly documents: number
  readonly passages: number
  /** Milliseconds from the first upload until all are uploaded, and until all can be found. */
  readonly uploaded: number
  readonly ready: number
}

const DOCUMENTS = 400
const SECTIONS = 6
const AT_ONCE = 3
const PAUSE = 100

const person = createClient<Database>(process.env.SUPABASE_URL ?? '', process.env.SUPABASE_PUBLISHABLE_KEY ?? '')
await person.auth.signInWithPassword({ email: 'demo@carrel.local', password: 'carrel-demo-library' })
const { data: library } = await person.rpc('create_library', { name: 'Small documents' }).throwOnError()

// The first call of a function loads it.
await upload(0)
await untilDone(1)
const started = performance.now()
await Promise.all(Array.from({ length: AT_ONCE }, (_, lane) => uploadEach(lane)))
const uploaded = performance.now() - started
await untilDone(DOCUMENTS + 1)
const ready = performance.now() - started
const { count } = await person
  .from('passages')
  .select('*', { count: 'exact', head: true })
  .eq('library_id', library.id)
  .throwOnError()
const figures: SmallDocumentsFigures = { documents: DOCUMENTS, passages: count ?? 0, uploaded, ready }
console.log(JSON.stringify(figures))

async function uploadEach(lane: number): Promise<void> {
  for (let number = lane; number < DOCUMENTS; number += AT_ONCE) await upload(number + 1)
}

async function upload(number: number): Promise<void> {
  const document = crypto.randomUUID()
  const name = `document-${number}.md`
  const path = `${library.id}/${document}/${crypto.randomUUID()}/${name}`
  const text = Array.from({ length: SECTIONS }, () => `# ${sentence(4)}\n\n${sentence(60)}.\n`).join('\n')
  const { error } = await person.storage.from('documents').upload(path, text, { contentType: 'text/markdown' })
  if (error) throw error
  await person.rpc('add_file', { library: library.id, document, path, file_name: name }).throwOnError()
}

async function untilDone(documents: number): Promise<void> {
  for (;;) {
    const { data } = await person.rpc('indexing_progress', { library: library.id }).single().throwOnError()
    if (data.failed > 0) throw new Error('A document could not be read.')
    if (data.done === documents) return
    await new Promise((resolve) => setTimeout(resolve, PAUSE))
  }
}
