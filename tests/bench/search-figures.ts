// Run by carrel.ts on a backend with its data on disk: search among as many passages as its argument says.
import { createClient } from '@supabase/supabase-js'
import pg from 'pg'
import type { Database } from '../../types/database.ts'
import { sentence, WORDS } from './words.ts'

export type SearchFigures = {
  readonly passages: number
  /** Milliseconds, in the order of the calls. */
  readonly searches: number[]
  /** The share of the ten nearest passages that the index finds, as the mean over several queries. */
  readonly recall: number
  /** Milliseconds for building the vector index; null when it existed already. */
  readonly indexing: number | null
}

const NAME = 'Bench'
/** The number of queries whose nearest passages are searched with the index and without it. */
const PROBES = 40
const PER_DOCUMENT = 250
const WARM_UP = 10
const SEARCHES = 100

const size = Number(process.argv[2])
const person = createClient<Database>(process.env.SUPABASE_URL ?? '', process.env.SUPABASE_PUBLISHABLE_KEY ?? '')
await person.auth.signInWithPassword({ email: 'demo@carrel.local', password: 'carrel-demo-library' })
const database = new pg.Client({ connectionString: process.env.SUPABASE_DB_URL })
await database.connect()

const library = await findLibrary()
await fill(await countPassages(), size)
const indexing = await index()
const searches: number[] = []
for (let round = -WARM_UP; round < SEARCHES; round++) {
  const started = performance.now()
  await person.rpc('search_passages', { library, query: sentence(3) }).throwOnError()
  if (round >= 0) searches.push(performance.now() - started)
}
const figures: SearchFigures = { passages: await countPassages(), searches, recall: await recall(), indexing }
await database.end()
console.log(JSON.stringify(figures))

async function findLibrary(): Promise<string> {
  const { data: known } = await person.from('libraries').select('id').eq('name', NAME).maybeSingle().throwOnError()
  if (known) return known.id
  const { data: made } = await person.rpc('create_library', { name: NAME }).throwOnError()
  return made.id
}

async function countPassages(): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    'select count(*)::integer as count from public.passages where library_id = $1',
    [library],
  )
  return rows[0]?.count ?? 0
}

/** Inserts passages of random words directly into the table: through the function that stores what ingestion read, a
 *  hundred thousand take an hour. A passage's vector is the sum of its words' vectors. */
async function fill(from: number, to: number): Promise<void> {
  if (from >= to) return
  // The index is built at the end, at once, as after restoring a dump.
  await database.query('drop index if exists public.passages_embedding_idx')
  await database.query(
    `create temporary table words as
     select ordinality - 1 as number, word, private.lexical_embedding(word) as vector
     from unnest($1::text[]) with ordinality as t (word, ordinality)`,
    [WORDS],
  )
  for (let made = from; made < to; made += PER_DOCUMENT) {
    const { data: note } = await person
      .rpc('add_note', { library, title: `Note ${made}`, body: 'bench' })
      .throwOnError()
    await database.query(
      `insert into public.passages (id, library_id, document_id, version_id, ordinal, start_offset, end_offset, content,
         content_hash, embedding, embedding_model)
       select gen_random_uuid(), $1, $2, $3, n, n, n + 1, string_agg(word, ' '), md5(n::text),
         extensions.l2_normalize(extensions.sum(vector)), 'lexical-384-v1'
       from (select n, floor(random() * $5)::bigint as number from generate_series(1, $4::integer) n, generate_series(1, 60)) drawn
       join words using (number) group by n`,
      [library, note.id, note.current_version_id, PER_DOCUMENT, WORDS.length],
    )
  }
}

/** A hundred thousand vectors and their graph need 230 MB. If they do not fit into memory, pgvector continues row by
 *  row on disk, which is ten times slower. */
async function index(): Promise<number | null> {
  const { rows } = await database.query(`select to_regclass('public.passages_embedding_idx') as known`)
  if (rows[0]?.known) return null
  const started = performance.now()
  await database.query(`set maintenance_work_mem = '600MB'`)
  await database.query(
    `create index passages_embedding_idx on public.passages using hnsw (embedding extensions.vector_cosine_ops)`,
  )
  const took = performance.now() - started
  await database.query('analyze public.passages')
  return took
}

/** Compares with the exact order, with the settings of search_passages. A passage as near as the tenth counts as found:
 *  at equal distances there is no order. */
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
