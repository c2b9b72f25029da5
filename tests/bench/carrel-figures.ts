// Run by carrel.ts inside `undock run`: performs Carrel's operations through the client and prints figures.
import { readFile } from 'node:fs/promises'
import { PDFDocument, StandardFonts } from '@cantoo/pdf-lib'
import { createClient } from '@supabase/supabase-js'
import type { Database } from '../../supabase/functions/_shared/database.ts'
import { sentence } from './words.ts'

export type CarrelFigures = {
  readonly pages: number
  /** Milliseconds, in call order. */
  readonly ingest: number[]
  readonly book: { readonly pages: number; readonly passages: number; readonly milliseconds: number }
}

const BOOK_PAGES = 300

const url = process.env.SUPABASE_URL ?? ''
const person = createClient<Database>(url, process.env.SUPABASE_PUBLISHABLE_KEY ?? '')
await person.auth.signInWithPassword({ email: 'demo@carrel.local', password: 'carrel-demo-library' })
const { data: library } = await person.rpc('create_library', { name: 'Bench' }).throwOnError()
if (!library) throw new Error('no library was made')

const pdf = await readFile(new URL('../fixtures/reading-room.pdf', import.meta.url))
const ingest = [(await ingestPdf(pdf)).milliseconds, (await ingestPdf(pdf)).milliseconds]
const { pages } = await ingestPdf(pdf)
const book = await ingestPdf(await makeBook())
const figures: CarrelFigures = { pages, ingest, book }
console.log(JSON.stringify(figures))

/** A plain book with a heading and about thirty lines per page. */
async function makeBook(): Promise<Uint8Array> {
  const document = await PDFDocument.create()
  const font = await document.embedFont(StandardFonts.TimesRoman)
  for (let number = 1; number <= BOOK_PAGES; number++) {
    const page = document.addPage([420, 595])
    page.drawText(`Chapter ${number}: ${sentence(3)}`, { x: 40, y: 540, size: 16, font })
    for (let line = 0; line < 32; line++)
      page.drawText(`${sentence(10)}.`, { x: 40, y: 510 - line * 14, size: 10, font })
  }
  return document.save()
}

async function ingestPdf(bytes: Uint8Array): Promise<{ pages: number; passages: number; milliseconds: number }> {
  const document = crypto.randomUUID()
  const path = `${library?.id}/${document}/${crypto.randomUUID()}/bench.pdf`
  const { error } = await person.storage.from('documents').upload(path, bytes, { contentType: 'application/pdf' })
  if (error) throw error
  const started = performance.now()
  await person.rpc('add_file', { library: library?.id ?? '', document, path, file_name: 'bench.pdf' }).throwOnError()
  const { error: refused } = await person.functions.invoke('ingest', { body: { document_id: document } })
  if (refused) throw refused
  const milliseconds = performance.now() - started
  const { data } = await person
    .from('documents')
    .select('state, problem, page_count')
    .eq('id', document)
    .single()
    .throwOnError()
  if (data.state !== 'ready') throw new Error(JSON.stringify(data.problem))
  const { count } = await person
    .from('passages')
    .select('*', { count: 'exact', head: true })
    .eq('document_id', document)
    .throwOnError()
  return { pages: data.page_count ?? 0, passages: count ?? 0, milliseconds }
}
