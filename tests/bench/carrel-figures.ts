// Run by carrel.ts inside `undock run`: does what Carrel does, through the official client, and prints its figures.
import { readFile } from 'node:fs/promises'
import { createClient } from '@supabase/supabase-js'
import type { Database } from '../../types/database.ts'

export type CarrelFigures = {
  readonly pages: number
  /** Milliseconds, in the order of the calls. */
  readonly ingest: number[]
  readonly passages: number
  readonly searches: number[]
}

const PASSAGES = 10_000
const PER_DOCUMENT = 250
const SEARCHES = 60
const WORDS =
  'light tower keeper lamp lens shore storm vessel catalogue drawer card index shelf reader archive paper ink margin letter river bridge stone garden seed winter glass engine signal chart compass harbour island current measure voice memory number question answer method result figure table'.split(
    ' ',
  )

const url = process.env.SUPABASE_URL ?? ''
const person = createClient<Database>(url, process.env.SUPABASE_PUBLISHABLE_KEY ?? '')
const service = createClient<Database>(url, process.env.SUPABASE_SECRET_KEY ?? '')
await person.auth.signInWithPassword({ email: 'demo@carrel.local', password: 'carrel-demo-library' })
const { data: library } = await person.rpc('create_library', { name: 'Bench' }).throwOnError()
if (!library) throw new Error('no library was made')

const pdf = await readFile(new URL('../fixtures/reading-room.pdf', import.meta.url))
const ingest = [await ingestPdf(), await ingestPdf()]
const { data: read } = await person
  .from('documents')
  .select('page_count')
  .eq('library_id', library.id)
  .limit(1)
  .single()
  .throwOnError()
await fill()
const searches: number[] = []
for (let round = -5; round < SEARCHES; round++) {
  const started = performance.now()
  await person.rpc('search_passages', { library: library.id, query: sentence(3) }).throwOnError()
  if (round >= 0) searches.push(performance.now() - started)
}
const { count } = await service
  .from('passages')
  .select('*', { count: 'exact', head: true })
  .eq('library_id', library.id)
  .throwOnError()
const figures: CarrelFigures = { pages: read.page_count ?? 0, ingest, passages: count ?? 0, searches }
console.log(JSON.stringify(figures))

async function ingestPdf(): Promise<number> {
  const document = crypto.randomUUID()
  const path = `${library?.id}/${document}/${crypto.randomUUID()}/reading-room.pdf`
  const { error } = await person.storage.from('documents').upload(path, pdf, { contentType: 'application/pdf' })
  if (error) throw error
  const started = performance.now()
  await person
    .rpc('add_file', { library: library?.id ?? '', document, path, file_name: 'reading-room.pdf' })
    .throwOnError()
  const { error: refused } = await person.functions.invoke('ingest', { body: { document_id: document } })
  if (refused) throw refused
  for (;;) {
    const { data } = await person
      .from('documents')
      .select('state, state_message')
      .eq('id', document)
      .single()
      .throwOnError()
    if (data.state === 'ready') return performance.now() - started
    if (data.state === 'failed') throw new Error(data.state_message ?? 'the ingestion failed')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function fill(): Promise<void> {
  for (let made = 0; made < PASSAGES; made += PER_DOCUMENT) {
    const { data: note } = await person
      .rpc('add_note', { library: library?.id ?? '', title: `Note ${made}`, body: 'bench' })
      .throwOnError()
    if (!note?.current_version_id) throw new Error('no note was made')
    const passages = Array.from({ length: PER_DOCUMENT }, (_, index) => ({
      start: index,
      end: index + 1,
      content: sentence(60),
    }))
    await service.rpc('store_passages', { version: note.current_version_id, passages }).throwOnError()
  }
}

function sentence(length: number): string {
  return Array.from({ length }, () => WORDS[Math.floor(Math.random() * WORDS.length)]).join(' ')
}
