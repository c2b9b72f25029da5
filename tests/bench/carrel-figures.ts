// Run by carrel.ts inside `undock run`: does what Carrel does, through the official client, and prints its figures.
import { readFile } from 'node:fs/promises'
import { PDFDocument, StandardFonts } from '@cantoo/pdf-lib'
import { createClient } from '@supabase/supabase-js'
import pg from 'pg'
import type { Database } from '../../types/database.ts'

export type CarrelFigures = {
  readonly pages: number
  /** Milliseconds, in the order of the calls. */
  readonly ingest: number[]
  readonly book: { readonly pages: number; readonly passages: number; readonly milliseconds: number }
  readonly sizes: readonly SizeFigures[]
}
type SizeFigures = {
  readonly passages: number
  /** Milliseconds. */
  readonly searches: number[]
  /** Share of the ten nearest passages that the index finds, mean over some questions. */
  readonly recall: number
}

const SIZES = (process.env.CARREL_PASSAGES ?? '10000').split(',').map(Number)
const BOOK_PAGES = 300
/** Questions whose nearest passages are looked for with the index and without it. */
const PROBES = 40
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
const ingest = [(await ingestPdf(pdf)).milliseconds, (await ingestPdf(pdf)).milliseconds]
const { pages } = await ingestPdf(pdf)
const book = await ingestPdf(await makeBook())
const database = new pg.Client({ connectionString: process.env.SUPABASE_DB_URL })
await database.connect()
const sizes: SizeFigures[] = []
let filled = 0
for (const size of SIZES) {
  await fill(filled, size)
  filled = size
  const searches: number[] = []
  for (let round = -5; round < SEARCHES; round++) {
    const started = performance.now()
    await person.rpc('search_passages', { library: library.id, query: sentence(3) }).throwOnError()
    if (round >= 0) searches.push(performance.now() - started)
  }
  sizes.push({ passages: await countPassages(), searches, recall: await recall() })
}
await database.end()
const figures: CarrelFigures = { pages, ingest, book, sizes }
console.log(JSON.stringify(figures))

async function countPassages(): Promise<number> {
  const { count } = await service
    .from('passages')
    .select('*', { count: 'exact', head: true })
    .eq('library_id', library?.id ?? '')
    .throwOnError()
  return count ?? 0
}

/** With the settings that search_passages uses, against the exact order. What is as near as the tenth counts: at equal
 *  distances there is no order. */
async function recall(): Promise<number> {
  let found = 0
  for (let probe = 0; probe < PROBES; probe++) {
    const words = sentence(8)
    const exact = await nearest(words, 'set local enable_indexscan = off')
    const indexed = await nearest(
      words,
      `set local hnsw.iterative_scan = 'strict_order'; set local hnsw.ef_search = 200; set local enable_seqscan = off`,
    )
    const tenth = (exact.at(-1) ?? 0) + 1e-6
    found += indexed.filter((distance) => distance <= tenth).length / exact.length
  }
  return found / PROBES
}

async function nearest(words: string, settings: string): Promise<number[]> {
  await database.query(`begin; ${settings}`)
  const { rows } = await database.query<{ distance: number }>(
    `select (embedding operator(extensions.<=>) v)::float8 as distance
     from public.passages, private.lexical_embedding($1) v order by embedding operator(extensions.<=>) v limit 10`,
    [words],
  )
  await database.query('commit')
  return rows.map(({ distance }) => distance)
}

/** A book of plain pages, each with a heading and some thirty lines. */
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
    .select('state, state_message, page_count')
    .eq('id', document)
    .single()
    .throwOnError()
  if (data.state !== 'ready') throw new Error(data.state_message ?? 'the ingestion failed')
  const { count } = await person
    .from('passages')
    .select('*', { count: 'exact', head: true })
    .eq('document_id', document)
    .throwOnError()
  return { pages: data.page_count ?? 0, passages: count ?? 0, milliseconds }
}

/** Passages of words drawn by chance, put into the table directly and indexed at the end, as a restored dump is: through the
 *  function that stores what was read, a hundred thousand take an hour. A passage's vector is the sum of its words'. */
async function fill(from: number, to: number): Promise<void> {
  // The whole index at once takes longer than a statement may.
  await database.query('set statement_timeout = 0')
  await database.query('drop index public.passages_embedding_idx')
  await database.query(
    `create temporary table if not exists words as
     select ordinality - 1 as number, word, private.lexical_embedding(word) as vector
     from unnest($1::text[]) with ordinality as t (word, ordinality)`,
    [WORDS],
  )
  for (let made = from; made < to; made += PER_DOCUMENT) {
    const { data: note } = await person
      .rpc('add_note', { library: library?.id ?? '', title: `Note ${made}`, body: 'bench' })
      .throwOnError()
    if (!note?.current_version_id) throw new Error('no note was made')
    await database.query(
      `insert into public.passages (id, library_id, document_id, version_id, ordinal, start_offset, end_offset, content,
         content_hash, embedding, embedding_model)
       select gen_random_uuid(), $1, $2, $3, n, n, n + 1, string_agg(word, ' '), md5(n::text),
         extensions.l2_normalize(extensions.sum(vector)), 'lexical-384-v1'
       from (select n, floor(random() * $5)::bigint as number from generate_series(1, $4::integer) n, generate_series(1, 60)) drawn
       join words using (number) group by n`,
      [library?.id, note.id, note.current_version_id, PER_DOCUMENT, WORDS.length],
    )
  }
  await database.query(
    `create index passages_embedding_idx on public.passages using hnsw (embedding extensions.vector_cosine_ops)`,
  )
  await database.query('analyze public.passages')
}

function sentence(length: number): string {
  return Array.from({ length }, () => WORDS[Math.floor(Math.random() * WORDS.length)]).join(' ')
}
