import type { SupabaseClient } from '@supabase/supabase-js'
import { z } from 'zod'
import type { Outcome, Sentence, Source } from '../_shared/answer/answer.ts'
import { NOT_FOUND, sentenceReader } from '../_shared/answer/cited.ts'
import { type Evidence, evidenceOf } from '../_shared/answer/evidence.ts'
import { askModel, type ModelSettings, type Turn } from '../_shared/answer/model.ts'
import { answering, quote } from '../_shared/answer/quote.ts'
import { unitsOf } from '../_shared/answer/sentences.ts'
import type { Embedder } from '../_shared/embedding.ts'
import { Refusal } from '../_shared/http.ts'

export const Question = z.object({
  library_id: z.guid(),
  question: z.string().trim().min(1).max(1000),
  /** The conversation to continue; without it, a new one is started. */
  conversation_id: z.guid().optional(),
  /** The documents to answer from; without it, all of the library. */
  document_ids: z.array(z.guid()).min(1).max(100).optional(),
})
export type Question = z.infer<typeof Question>

/** The events of an answer, in this order: its sources, its sentences, its end. */
export type Told =
  | { type: 'sources'; citations: Citation[] }
  | { type: 'sentence'; sentence: Sentence }
  | { type: 'notice'; message: string }
  | {
      type: 'done'
      outcome: Outcome
      model: string | null
      /** How many documents were asked; null for all of the library. */
      documents: number | null
      conversation_id: string
      question_id: string
    }

export type Citation = {
  n: number
  passage_id: string
  document_id: string
  title: string
  page: number | null
  heading: string | null
  quote: string
  /** Its text was recognized in a picture. */
  recognized: boolean
}

export type AskingDeps = {
  /** Has the caller's rights: passages that they may not see can neither be cited nor be sent to a model. */
  readonly caller: SupabaseClient
  readonly openEmbedder: () => Promise<Embedder | null>
  readonly model: ModelSettings | null
}

const PASSAGES = 10
/** The number of earlier questions that are sent to a model. */
const TURNS = 3
const LONGEST_QUOTE = 2000

const Hit = z.object({
  passage_id: z.string(),
  document_id: z.string(),
  title: z.string(),
  page: z.number().nullable(),
  heading: z.string().nullable(),
  content: z.string(),
  matched: z.array(z.string()),
  highlights: z.array(z.tuple([z.number(), z.number()])),
  related: z.boolean(),
  recognized: z.boolean(),
})
const Weights = z.array(z.object({ word: z.string(), weight: z.number() }))

/** What the search found: all sources, and the places among them that answer the question. */
type Found = { readonly sources: readonly Source[]; readonly evidence: readonly Evidence[] }

/** Answers a question from a library's passages, and stores question and answer in the caller's conversation.
 *  @throws {Refusal} before the first event, when the caller has no access to the library or the conversation. */
export async function ask(wish: Question, deps: AskingDeps): Promise<AsyncGenerator<Told>> {
  const turns = await earlier(wish, deps.caller)
  return answer(wish, turns, await search(wish, turns, deps), deps)
}

async function* answer(wish: Question, turns: readonly Turn[], found: Found, deps: AskingDeps): AsyncGenerator<Told> {
  const near = found.evidence.map(({ source }) => source)
  // A model may see a connection without shared words, so it receives everything that the search found.
  const sources = near.length > 0 || !deps.model ? near : found.sources
  const citations = citationsOf(sources)
  yield { type: 'sources', citations }
  const sentences: Sentence[] = []
  let model = sources.length > 0 ? deps.model : null
  if (model) {
    try {
      for await (const sentence of modelSentences(wish.question, sources, turns, model)) {
        sentences.push(sentence)
        yield { type: 'sentence', sentence }
      }
    } catch (error) {
      console.error('ask:', error)
      const message =
        sentences.length > 0 ? 'The model broke off here.' : 'The model does not answer; these are quotes.'
      yield { type: 'notice', message }
      if (sentences.length === 0) model = null
    }
  }
  if (!model) {
    for (const sentence of quote(found.evidence)) {
      sentences.push(sentence)
      yield { type: 'sentence', sentence }
    }
  }
  const outcome: Outcome = sentences.length === 0 ? 'not_found' : model ? 'answered' : 'quoted'
  const cited = new Set(sentences.flatMap(({ cites }) => cites))
  const documents = wish.document_ids?.length ?? null
  const kept = {
    outcome,
    model: model?.model ?? null,
    documents,
    sentences,
    citations: citations.filter(({ n }) => cited.has(n)),
  }
  yield { type: 'done', outcome, model: kept.model, documents, ...(await keep(wish, kept, deps.caller)) }
}

const citationsOf = (sources: readonly Source[]): Citation[] =>
  sources.map(({ n, passage_id, document_id, title, page, heading, content, recognized }) => ({
    n,
    passage_id,
    document_id,
    title,
    page,
    heading,
    quote: content.slice(0, LONGEST_QUOTE),
    recognized,
  }))

/** The sentences of a model as they are completed; none when it says that the passages contain no answer. */
async function* modelSentences(
  question: string,
  sources: readonly Source[],
  turns: readonly Turn[],
  settings: ModelSettings,
): AsyncGenerator<Sentence> {
  const reader = sentenceReader(sources)
  let held: string | null = ''
  for await (const piece of askModel(question, sources, turns, settings)) {
    if (held === null) {
      yield* reader.push(piece)
      continue
    }
    // Nothing is sent until it is clear that this is an answer, and not the word for "no answer".
    held += piece
    if (held.trimStart().startsWith(NOT_FOUND)) return
    if (NOT_FOUND.startsWith(held.trimStart())) continue
    yield* reader.push(held)
    held = null
  }
  yield* reader.push(held ?? '')
  yield* reader.end()
}

async function search(
  { library_id, question, document_ids }: Question,
  turns: readonly Turn[],
  { caller, openEmbedder }: AskingDeps,
): Promise<Found> {
  // "And how far does it shine?" means little alone: a short question is searched together with the previous one.
  const before = question.split(/\s+/).length < 6 ? (turns.at(-1)?.question ?? '') : ''
  const query = `${before} ${question}`.trim().slice(0, 1000)
  const embedder = await openEmbedder()
  const [vector] = embedder ? await embedder.embed([query]) : []
  const [{ data: hits }, { data: words }] = await Promise.all([
    caller
      .rpc('search_passages', {
        library: library_id,
        query,
        max_results: PASSAGES,
        ...(document_ids ? { filters: { documents: document_ids } } : {}),
        ...(vector && embedder ? { query_embedding: JSON.stringify(vector), model: embedder.model } : {}),
      })
      .throwOnError(),
    caller.rpc('weigh_words', { library: library_id, query }).throwOnError(),
  ])
  const unordered = z
    .array(Hit)
    .parse(hits)
    .map((hit, index) => ({ ...hit, n: index + 1 }))
  const answers = answering(evidenceOf(query, Weights.parse(words), unordered))
  // Without a place that has the words, what is near in meaning is quoted from its beginning.
  const evidence =
    answers.length > 0
      ? answers
      : unordered
          .filter(({ related }) => related)
          .map((source) => ({ source, units: unitsOf(source.content).slice(0, 2), coverage: 0 }))
  return numbered(evidence, unordered)
}

/** Numbers the sources anew, so that the answer cites the best one as [1]. */
function numbered(evidence: readonly Evidence[], sources: readonly Source[]): Found {
  const answering = evidence.map(({ source }) => source)
  const order = [...answering, ...sources.filter((source) => !answering.includes(source))]
  const numberOf = (source: Source): Source => ({ ...source, n: order.indexOf(source) + 1 })
  return {
    sources: order.map(numberOf),
    evidence: evidence.map((place) => ({ ...place, source: numberOf(place.source) })),
  }
}

const Earlier = z.array(
  z.object({
    question: z.string(),
    answer: z.object({ sentences: z.array(z.object({ text: z.string() })).catch([]) }),
  }),
)

async function earlier({ conversation_id, library_id }: Question, caller: SupabaseClient): Promise<Turn[]> {
  const { data: library } = await caller
    .from('libraries')
    .select('id')
    .eq('id', library_id)
    .maybeSingle()
    .throwOnError()
  if (!library) throw new Refusal(404, 'There is no such library, or you are not a member of it.')
  if (!conversation_id) return []
  const { data: conversation } = await caller
    .from('conversations')
    .select('id')
    .eq('id', conversation_id)
    .eq('library_id', library_id)
    .maybeSingle()
    .throwOnError()
  if (!conversation) throw new Refusal(404, 'There is no such conversation any more. Begin a new one.')
  const { data } = await caller
    .from('questions')
    .select('question, answer')
    .eq('conversation_id', conversation_id)
    .order('created_at', { ascending: false })
    .limit(TURNS)
    .throwOnError()
  return Earlier.parse(data)
    .toReversed()
    .map(({ question, answer }) => ({ question, answer: answer.sentences.map(({ text }) => text).join(' ') }))
}

async function keep(
  { library_id, question, conversation_id }: Question,
  answer: object,
  caller: SupabaseClient,
): Promise<{ conversation_id: string; question_id: string }> {
  const conversation = conversation_id ?? crypto.randomUUID()
  if (!conversation_id) {
    await caller
      .from('conversations')
      .insert({ id: conversation, library_id, title: question.slice(0, 300) })
      .throwOnError()
  }
  const id = crypto.randomUUID()
  await caller.from('questions').insert({ id, conversation_id: conversation, question, answer }).throwOnError()
  return { conversation_id: conversation, question_id: id }
}
