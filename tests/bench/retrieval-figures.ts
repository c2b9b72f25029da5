// Run by retrieval.ts inside `undock run`: adds a collection with relevance judgements and runs its questions.
import { createClient } from '@supabase/supabase-js'
import pg from 'pg'
import type { Database } from '../../supabase/functions/_shared/database.ts'
import { judge, mean, type Quality, readCollection } from './collection.ts'
import { plainBm25, type Words } from './plain-bm25.ts'

export type Halves = { readonly all: Quality; readonly odd: Quality; readonly even: Quality }
export type RetrievalFigures = {
  readonly documents: number
  readonly questions: number
  readonly plain: Halves
  readonly words: Halves
  readonly fused: Halves
  /** nDCG of the fused results while the library had 10 %, 20 %, … of the documents, counting only those as relevant. */
  readonly growth: readonly number[]
}

const STEPS = 10
const { documents, questions, relevant } = await readCollection(process.env.COLLECTION ?? '')
const person = createClient<Database>(process.env.SUPABASE_URL ?? '', process.env.SUPABASE_PUBLISHABLE_KEY ?? '')
const service = createClient<Database>(process.env.SUPABASE_URL ?? '', process.env.SUPABASE_SECRET_KEY ?? '')
const database = new pg.Client({ connectionString: process.env.SUPABASE_DB_URL })
await database.connect()
await person.auth.signInWithPassword({ email: 'demo@carrel.local', password: 'carrel-demo-library' })
const { data: library } = await person.rpc('create_library', { name: 'Collection' }).throwOnError()

/** The collection's document ids by ours. */
const origin = new Map<string, string>()
const growth: number[] = []
for (let step = 1; step <= STEPS; step++) {
  const until = Math.round((documents.length * step) / STEPS)
  for (const { id, title, text } of documents.slice(origin.size, until)) {
    const { data: note } = await person
      .rpc('add_note', { library: library.id, title: (title.trim() || id).slice(0, 300), body: 'see the passage' })
      .throwOnError()
    origin.set(note.id, id)
    const passage = { start: 0, end: text.length, heading: title.slice(0, 500) || null, content: text.slice(0, 8000) }
    await service
      .rpc('replace_passages', { version: note.current_version_id ?? '', passages: [passage], language: 'en' })
      .throwOnError()
  }
  growth.push((await halves(search)).all.ndcg)
}

const plain = plainBm25(await wordsOf(documents.map(({ title, text }) => `${title} ${text}`)))
const figures: RetrievalFigures = {
  documents: documents.length,
  questions: questions.length,
  plain: await halves(async (text) => {
    const [words = {}] = await wordsOf([text])
    return plain(words).map((place) => documents[place]?.id ?? '')
  }),
  words: await halves(searchByWords),
  fused: await halves(search),
  growth,
}
await database.end()
console.log(JSON.stringify(figures))

async function search(text: string): Promise<string[]> {
  const { data } = await person
    .rpc('search_passages', { library: library.id, query: text, max_results: 10 })
    .throwOnError()
  return data.map(({ document_id }) => origin.get(document_id) ?? '')
}

/** The first half of search_passages: ranking by words. */
async function searchByWords(text: string): Promise<string[]> {
  const { rows } = await database.query<{ document_id: string }>(
    `with size as (
       select sum(passages)::float8 as passages, sum(occurrences)::float8 / sum(passages) as length
       from private.library_vocabulary where library_id = $1 and word = '' and term = 0
     ), words as (
       select array_agg(w) as words, s.passages, s.length
       from size s, private.query_words($1, $2, '{}', null, s.passages, true) w where w.passages > 0 group by s.passages, s.length
     )
     select r.document_id from words w, private.rank_by_words(w.words, w.passages, w.length, null, null, 300) r
     order by r.score desc, r.passage_id limit 10`,
    [library.id, text],
  )
  return rows.map(({ document_id }) => origin.get(document_id) ?? '')
}

async function halves(find: (text: string) => Promise<string[]>): Promise<Halves> {
  const here = new Set(origin.values())
  const judged: Quality[] = []
  for (const { id, text } of questions) {
    const wanted = new Set([...(relevant.get(id) ?? [])].filter((document) => here.has(document)))
    if (wanted.size > 0) judged.push(judge(await find(text), wanted))
  }
  const half = (odd: boolean) => mean(judged.filter((_, index) => (index % 2 === 0) === odd))
  return { all: mean(judged), odd: half(true), even: half(false) }
}

/** Counts the texts' English stems with search's stemmer, so that only the ranking differs. */
async function wordsOf(texts: readonly string[]): Promise<Words[]> {
  const { rows } = await database.query<{ words: Words }>(
    `select coalesce((select jsonb_object_agg(lexeme, cardinality(positions))
       from unnest(to_tsvector('pg_catalog.english', regexp_replace(t.text, '[^[:alnum:]]+', ' ', 'g')))), '{}') as words
     from unnest($1::text[]) with ordinality as t (text, n) order by n`,
    [texts],
  )
  return rows.map(({ words }) => words)
}
