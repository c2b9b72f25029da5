import { z } from 'zod'
import type { AnswerOutcome, Sentence, Source } from '../_shared/answer/answer.ts'
import { NOT_FOUND, sentenceReader } from '../_shared/answer/cited.ts'
import { type Evidence, evidenceOf, isQuestion, isSentence } from '../_shared/answer/evidence.ts'
import { askModel, type ModelSettings, type Turn } from '../_shared/answer/model.ts'
import { preferredLanguage, refersBack, withSpaces } from '../_shared/answer/question.ts'
import type { Client } from '../_shared/clients.ts'
import type { Json } from '../_shared/database.ts'
import { type NoticeCode, type Problem, problemOf, refusal } from '../_shared/errors.ts'
import { MAX_LENGTH } from '../_shared/facts.ts'
import { findPassages, meaningIn } from '../_shared/search.ts'

/** The share of a question's weight that an answer needs (measured by tests/bench/asking.ts and answers.test.ts). */
const ENOUGH = 0.58
/** Other sentences are quoted from this share of the best one on; headings, captions and footers aren't. */
const AS_GOOD = 0.6

/** Returns the sentences that answer the question, whole and with their lists, or none if no evidence covers enough of
 *  it. A sentence shared by two passages is returned once. */
export function quote(evidence: readonly Evidence[]): Sentence[] {
  const best = Math.max(0, ...evidence.map(({ coverage }) => coverage))
  const said = new Set<string>()
  return evidence
    .filter(({ coverage }) => coverage >= ENOUGH && coverage >= best * AS_GOOD)
    .flatMap(({ source, units }, place) =>
      units
        .filter((unit) => !isQuestion(unit))
        .filter(({ text }) => place === 0 || isSentence(text) || /[|:=]|^[-*•]| [-–—] /.test(text))
        .map(({ text }) => ({ text, cites: [source.n] })),
    )
    .filter(({ text }) => !said.has(text) && said.add(text))
}

export const Question = z.object({
  library_id: z.guid(),
  question: z.string().trim().min(1).max(1000),
  /** The conversation to continue; omitted for a new one. */
  conversation_id: z.guid().optional(),
  /** The documents to answer from; omitted for the whole library. */
  document_ids: z.array(z.guid()).min(1).max(100).optional(),
})
export type Question = z.infer<typeof Question>

/** Events in order: sources, sentences, end. If a model fails, sources are sent again, and quotes follow. */
export type AskEvent =
  | { type: 'sources'; citations: Citation[]; model: string | null }
  | { type: 'sentence'; sentence: Sentence }
  | ({ type: 'notice' } & Problem)
  | {
      type: 'done'
      outcome: AnswerOutcome
      model: string | null
      /** The number of documents asked; null for the whole library. */
      documents: number | null
      /** The language whose passages came first; null if the passages found are in one language. */
      language: string | null
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
  recognized: boolean
}

export type AskingDeps = {
  /** Has the caller's rights, so passages that they can't see are neither cited nor sent to a model. */
  readonly caller: Client
  readonly model: ModelSettings | null
}

/** The number of passages shown, and passed to a model. */
const SHOWN = 3
const GIVEN = 10
/** Passages of the first search (at most three per document), and then of the search within those documents. */
const FOUND = 30
const LOOKED_AT = 60
const TURNS = 3

/** Answers a question from a library's passages and stores both in the caller's conversation.
 *  @throws {Refusal} before the first event, if the caller has no access to the library or conversation. */
export async function ask(input: Question, deps: AskingDeps): Promise<AsyncGenerator<AskEvent>> {
  const library = await libraryOf(input, deps.caller)
  const allowed = library.allows_models ? deps : { ...deps, model: null }
  const turns = await earlier(input, deps.caller)
  const { evidence, language } = await search(input, turns, allowed)
  return answer(input, turns, evidence, language, allowed)
}

async function* answer(
  input: Question,
  turns: readonly Turn[],
  evidence: readonly Evidence[],
  language: string | null,
  deps: AskingDeps,
): AsyncGenerator<AskEvent> {
  const sources = evidence.map(({ source }) => source)
  let citations = citationsOf(sources)
  let sentences: Sentence[] = []
  let model: string | null = null
  let outcome: AnswerOutcome = 'not_found'
  if (deps.model && sources.length > 0) {
    model = deps.model.model
    yield { type: 'sources', citations, model }
    const reader = sentenceReader(sources)
    let notice: NoticeCode | null = null
    try {
      for await (const sentence of modelSentences(input.question, sources, turns, deps.model, reader)) {
        sentences.push(sentence)
        yield { type: 'sentence', sentence }
      }
      if (reader.leftOut() > 0) notice = sentences.length > 0 ? 'model_said_more' : 'model_unsupported'
    } catch (error) {
      console.error('ask:', error)
      notice = sentences.length > 0 ? 'model_broke_off' : 'model_silent'
    }
    if (notice) yield { type: 'notice', ...problemOf(notice) }
    if (notice && sentences.length === 0) model = null
    if (sentences.length > 0) outcome = 'answered'
    const cited = new Set(sentences.flatMap(({ cites }) => cites))
    citations = citations.filter(({ n }) => cited.has(n))
  }
  if (outcome === 'not_found') {
    const nearest = evidence.slice(0, SHOWN)
    citations = citationsOf(nearest.map(({ source }) => source))
    yield { type: 'sources', citations, model }
    // If a model read the passages and found no answer, don't present quotes as one.
    sentences = model === null ? quote(nearest) : []
    for (const sentence of sentences) yield { type: 'sentence', sentence }
    if (sentences.length > 0) outcome = 'quoted'
  }
  const documents = input.document_ids?.length ?? null
  const kept = { outcome, model, documents, language, sentences, citations }
  yield { type: 'done', outcome, model, documents, language, ...(await keep(input, kept, deps.caller)) }
}

const citationsOf = (sources: readonly Source[]): Citation[] =>
  sources.map(({ n, passage_id, document_id, title, page, heading, content, recognized }) => ({
    n,
    passage_id,
    document_id,
    title,
    page,
    heading,
    quote: content.slice(0, MAX_LENGTH['comments.quote']),
    recognized,
  }))

/** Yields a model's sentences as they are completed; none if it finds no answer. */
async function* modelSentences(
  question: string,
  sources: readonly Source[],
  turns: readonly Turn[],
  settings: ModelSettings,
  reader: ReturnType<typeof sentenceReader>,
): AsyncGenerator<Sentence> {
  let held: string | null = ''
  for await (const piece of askModel(question, sources, turns, settings)) {
    if (held === null) {
      yield* reader.push(piece)
      continue
    }
    // Hold the text back until it can't be NOT_FOUND.
    held += piece
    if (held.trimStart().startsWith(NOT_FOUND)) return
    if (NOT_FOUND.startsWith(held.trimStart())) continue
    yield* reader.push(held)
    held = null
  }
  yield* reader.push(held ?? '')
  yield* reader.end()
}

/** Returns the best evidence, ranked and numbered, and the language that was preferred over others. */
async function search(
  { library_id, question, document_ids }: Question,
  turns: readonly Turn[],
  { caller, model }: AskingDeps,
): Promise<{ evidence: Evidence[]; language: string | null }> {
  const before = refersBack(question) ? (turns.at(-1)?.question ?? '') : ''
  const asked = `${before} ${question}`.trim().slice(0, 1000)
  const query = withSpaces(asked)
  const meaning = await meaningIn(library_id, query, caller)
  const find = (max_results: number, documents?: string[]) =>
    findPassages(caller, { library: library_id, query, max_results, filters: documents ? { documents } : {} }, meaning)
  const weigh = async () => (await caller.rpc('weigh_words', { library: library_id, query }).throwOnError()).data
  const documents = document_ids ?? [...new Set((await find(FOUND)).map(({ document_id }) => document_id))]
  if (documents.length === 0) return { evidence: [], language: null }
  // The first search returns three passages per document; the answer may be in the fourth.
  const [hits, words] = await Promise.all([find(LOOKED_AT, documents), weigh()])
  const ids = hits.map(({ passage_id }) => passage_id)
  const { data: known } = await caller.from('passages').select('id, language').in('id', ids).throwOnError()
  const languages = new Map(known.map(({ id, language }) => [id, language]))
  const places = evidenceOf(
    asked,
    words,
    hits.map((hit, index) => ({ ...hit, n: index + 1, language: languages.get(hit.passage_id) ?? null })),
  )
  // The top search result is always shown.
  const first = places.findIndex(({ source }) => source.n === 1)
  if (first >= SHOWN) places.splice(SHOWN - 1, 0, ...places.splice(first, 1))
  const evidence = places
    .slice(0, model ? GIVEN : SHOWN)
    .map((place, index) => ({ ...place, source: { ...place.source, n: index + 1 } }))
  return { evidence, language: preferredLanguage(asked, known) }
}

const Earlier = z.array(
  z.object({
    question: z.string(),
    answer: z.object({ sentences: z.array(z.object({ text: z.string() })).catch([]) }),
  }),
)

async function libraryOf({ library_id }: Question, caller: Client): Promise<{ allows_models: boolean }> {
  const { data: library } = await caller
    .from('libraries')
    .select('allows_models')
    .eq('id', library_id)
    .maybeSingle()
    .throwOnError()
  if (!library) throw refusal('library_denied')
  return library
}

async function earlier({ conversation_id, library_id }: Question, caller: Client): Promise<Turn[]> {
  if (!conversation_id) return []
  const { data: conversation } = await caller
    .from('conversations')
    .select('id')
    .eq('id', conversation_id)
    .eq('library_id', library_id)
    .maybeSingle()
    .throwOnError()
  if (!conversation) throw refusal('conversation_gone')
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
  answer: { [part: string]: Json },
  caller: Client,
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
