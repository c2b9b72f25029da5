// Run by retrieval.ts inside `undock run`: adds a collection with relevance judgements to a library and runs its
// queries.
import { readFile } from 'node:fs/promises'
import { createClient } from '@supabase/supabase-js'
import * as z from 'zod'
import type { Database } from '../../types/database.ts'

/** Means over all queries, 0 to 1. */
export type Quality = { readonly ndcg: number; readonly recall: number; readonly mrr: number }
export type RetrievalFigures = {
  readonly documents: number
  readonly questions: number
  readonly fused: Quality
}

const folder = `${process.env.CRANFIELD}/`
const Item = z.object({ id: z.string(), title: z.string().default(''), text: z.string() })
const lines = async (name: string) => (await readFile(`${folder}${name}`, 'utf8')).trim().split('\n')
const items = async (name: string) => (await lines(name)).map((line) => Item.parse(JSON.parse(line)))

const DEPTH = 10
const person = createClient<Database>(process.env.SUPABASE_URL ?? '', process.env.SUPABASE_PUBLISHABLE_KEY ?? '')
const service = createClient<Database>(process.env.SUPABASE_URL ?? '', process.env.SUPABASE_SECRET_KEY ?? '')
await person.auth.signInWithPassword({ email: 'demo@carrel.local', password: 'carrel-demo-library' })
const { data: library } = await person.rpc('create_library', { name: 'Cranfield' }).throwOnError()

const documents = (await items('documents.jsonl')).filter(({ text }) => text.trim() !== '')
/** Maps our ids of documents to their ids in the collection. */
const origin = new Map<string, string>()
for (const { id, title, text } of documents) {
  const { data: note } = await person
    .rpc('add_note', { library: library.id, title: (title || id).slice(0, 300), body: 'see the passage' })
    .throwOnError()
  origin.set(note.id, id)
  await service
    .rpc('store_passages', {
      version: note.current_version_id ?? '',
      passages: [{ start: 0, end: text.length, heading: title.slice(0, 500) || null, content: text.slice(0, 8000) }],
    })
    .throwOnError()
}

const relevant = new Map<string, Set<string>>()
for (const line of (await lines('relevance.tsv')).slice(1)) {
  const [question = '', document = '', grade] = line.split('\t')
  if (Number(grade) >= 1) relevant.set(question, (relevant.get(question) ?? new Set()).add(document))
}

const sums = [0, 0, 0]
let asked = 0
for (const { id, text } of await items('queries.jsonl')) {
  const wanted = relevant.get(id)
  if (!wanted) continue
  asked += 1
  const { data } = await person
    .rpc('search_passages', { library: library.id, query: text, max_results: DEPTH })
    .throwOnError()
  const order = data.map(({ document_id }) => origin.get(document_id) ?? '')
  judge(order, wanted).forEach((value, index) => {
    sums[index] = (sums[index] ?? 0) + value
  })
}
const mean = ([ndcg = 0, recall = 0, mrr = 0]: number[]): Quality => ({
  ndcg: ndcg / asked,
  recall: recall / asked,
  mrr: mrr / asked,
})
const figures: RetrievalFigures = {
  documents: documents.length,
  questions: asked,
  fused: mean(sums),
}
console.log(JSON.stringify(figures))

/** nDCG, recall and reciprocal rank of one result list, at its length; a document is either relevant or not. */
function judge(order: readonly string[], wanted: ReadonlySet<string>): [number, number, number] {
  const gains: number[] = order.map((document, index) => (wanted.has(document) ? 1 / Math.log2(index + 2) : 0))
  const ideal = Array.from({ length: Math.min(wanted.size, DEPTH) }, (_, index) => 1 / Math.log2(index + 2))
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
  const first = order.findIndex((document) => wanted.has(document))
  const found = order.filter((document) => wanted.has(document)).length
  return [sum(gains) / sum(ideal), found / wanted.size, first === -1 ? 0 : 1 / (first + 1)]
}
