// Run by carrel.ts on a backend with data on disk: search among the given number of passages.
import { createClient } from '@supabase/supabase-js'
import pg from 'pg'
import type { Database } from '../../supabase/functions/_shared/database.ts'
import { carrelsBm25, type Words } from './plain-bm25.ts'
import { drawPassage, drawRank, randomNumbers, wordOf } from './vocabulary.ts'

export type SearchFigures = {
  readonly passages: number
  /** Milliseconds per call, for rare words, frequent words, and words as in questions. */
  readonly searches: { readonly rare: number[]; readonly frequent: number[]; readonly mixed: number[] }
  /** The share of the top ten by words, computed here from all passages, that the ranking has in its own top ten. */
  readonly found: { readonly rare: number; readonly frequent: number; readonly mixed: number }
}
type Kind = keyof SearchFigures['searches']

const PER_DOCUMENT = 250
const WARM_UP = 5
const SEARCHES = 100
const PROBES = 20

const size = Number(process.argv[2])
const person = createClient<Database>(process.env.SUPABASE_URL ?? '', process.env.SUPABASE_PUBLISHABLE_KEY ?? '')
await person.auth.signInWithPassword({ email: 'demo@carrel.local', password: 'carrel-demo-library' })
const database = new pg.Client({ connectionString: process.env.SUPABASE_DB_URL })
await database.connect()

/** A library per size, with the same passages in each run. */
const NAME = `Bench ${size}`
const passages = makePassages()
const library = await findLibrary()
await fill(await countPassages())

const random = randomNumbers(7)
const DRAWN: Readonly<Record<Kind, () => number[]>> = {
  rare: () => [500 + Math.floor(random() * 4_000), 500 + Math.floor(random() * 4_000)],
  frequent: () => Array.from({ length: 3 }, () => Math.floor(random() * 30)),
  mixed: () => Array.from({ length: 6 }, () => drawRank(random)),
}
const query = (kind: Kind) => DRAWN[kind]().map(wordOf).join(' ')
const figures: SearchFigures = {
  passages: await countPassages(),
  searches: { rare: await measure('rare'), frequent: await measure('frequent'), mixed: await measure('mixed') },
  found: { rare: await probe('rare'), frequent: await probe('frequent'), mixed: await probe('mixed') },
}
await database.end()
console.log(JSON.stringify(figures))

async function measure(kind: Kind): Promise<number[]> {
  const searches: number[] = []
  for (let round = -WARM_UP; round < SEARCHES; round++) {
    const words = query(kind)
    const started = performance.now()
    await person.rpc('search_passages', { library, query: words }).throwOnError()
    if (round >= 0) searches.push(performance.now() - started)
  }
  return searches
}

async function probe(kind: Kind): Promise<number> {
  const exact = carrelsBm25(passages)
  let found = 0
  let wanted = 0
  for (let round = 0; round < PROBES; round++) {
    const words = query(kind)
    const best = exact(counted(words.split(' '))).slice(0, 10)
    const { rows } = await database.query<{ place: number }>(
      `with size as (
         select sum(passages)::float8 as passages, sum(occurrences)::float8 / sum(passages) as length
         from private.library_vocabulary where library_id = $1 and word = '' and term = 0
       ), words as (
         select array_agg(w) as words, s.passages, s.length
         from size s, private.query_words($1, $2, '{}', null, s.passages, false) w where w.passages > 0
         group by s.passages, s.length
       )
       select p.start_offset as place from words w, private.rank_by_words(w.words, w.passages, w.length, null, null, 300) r
       join public.passages p on p.id = r.passage_id order by r.score desc, r.passage_id limit 10`,
      [library, words],
    )
    found += rows.filter(({ place }) => best.includes(place)).length
    wanted += best.length
  }
  return found / wanted
}

function makePassages(): Words[] {
  const random = randomNumbers(1)
  return Array.from({ length: size }, () => counted(drawPassage(random).map(wordOf)))
}

function counted(words: readonly string[]): Words {
  const counts: Record<string, number> = {}
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1
  return counts
}

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

/** Inserts passages directly: embedding a hundred thousand takes an hour. */
async function fill(from: number): Promise<void> {
  if (from >= size) return
  await database.query('drop index if exists public.passages_embedding_idx')
  for (let made = from; made < size; made += PER_DOCUMENT) {
    await insertNote(
      made,
      passages.slice(made, made + PER_DOCUMENT).map((words) =>
        Object.entries(words)
          .flatMap(([word, times]) => Array<string>(times).fill(word))
          .join(' '),
      ),
    )
  }
  await database.query('select private.fold_word_changes($1)', [library])
  for (const name of ['public.passages', 'private.all_passage_terms', 'private.words', 'private.word_changes'])
    await database.query(`vacuum analyze ${name}`)
}

/** Inserts a note with these passages, which the queue ignores because they are stored at commit.
 *  @param first The number of its first passage. */
async function insertNote(first: number, contents: readonly string[]): Promise<void> {
  await database.query('begin')
  const { rows } = await database.query<{ document: string; version: string }>(
    `with document as (
       insert into public.documents (library_id, kind, title, state) values ($1, 'note', $2, 'ready') returning id
     )
     insert into public.versions (library_id, document_id, body, mime_type, size_bytes)
     select $1, id, 'bench', 'text/markdown', 5 from document returning document_id as document, id as version`,
    [library, `Note ${first}`],
  )
  const [note] = rows
  await database.query(
    `insert into public.passages (id, library_id, document_id, version_id, ordinal, start_offset, end_offset, content,
       content_hash, embedding, embedding_model)
     select gen_random_uuid(), $1, $2, $3, n, $5 + n - 1, $5 + n, content, md5(content), array_fill(0.05, array[384]),
       'lexical-384-v1'
     from unnest($4::text[]) with ordinality as t (content, n)`,
    [library, note?.document, note?.version, contents, first],
  )
  await database.query('select private.index_document($1)', [note?.document])
  await database.query('delete from private.indexing_runs where document_id = $1', [note?.document])
  await database.query('commit')
}
