import * as z from 'zod/mini'

const Citation = z.object({
  n: z.int(),
  passage_id: z.string(),
  document_id: z.guid(),
  title: z.string(),
  page: z.nullable(z.int()),
  heading: z.nullable(z.string()),
  quote: z.string(),
  /** The text was recognized in an image. Missing in old answers. */
  recognized: z.catch(z.boolean(), false),
})
export type Citation = z.infer<typeof Citation>

/** A sentence needs a citation. */
const Sentence = z.object({ text: z.string(), cites: z.array(z.int()).check(z.minLength(1)) })
export type Sentence = z.infer<typeof Sentence>

const Outcome = z.enum(['quoted', 'answered', 'not_found'])

/** A stored answer. An unknown format is read as an answer without sentences. */
export const Answer = z.object({
  outcome: z.catch(Outcome, 'not_found'),
  model: z.catch(z.nullable(z.string()), null),
  sentences: z.catch(z.array(Sentence), []),
  citations: z.catch(z.array(Citation), []),
  documents: z.catch(z.nullable(z.int()), null),
  language: z.catch(z.nullable(z.string()), null),
})

/** An answer being streamed: `outcome` is null until it's complete. */
export type Answer = {
  outcome: z.infer<typeof Outcome> | null
  model: string | null
  sentences: readonly Sentence[]
  citations: readonly Citation[]
  /** The number of documents asked; null for the whole library, and until the answer is complete. */
  documents: number | null
  /** The language whose passages came first; null if it didn't matter. */
  language: string | null
  /** Why it's incomplete, see domain/problem.ts. */
  notice?: unknown
}

export const AnswerEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('sources'), citations: z.array(Citation), model: z.nullable(z.string()) }),
  z.object({ type: z.literal('sentence'), sentence: Sentence }),
  z.looseObject({ type: z.literal('notice'), message: z.string() }),
  z.object({
    type: z.literal('done'),
    outcome: Outcome,
    model: z.nullable(z.string()),
    documents: z.catch(z.nullable(z.int()), null),
    language: z.catch(z.nullable(z.string()), null),
    conversation_id: z.guid(),
    question_id: z.guid(),
  }),
  z.looseObject({ type: z.literal('error'), message: z.string() }),
])
export type AnswerEvent = z.infer<typeof AnswerEvent>

export const EMPTY_ANSWER: Answer = {
  outcome: null,
  model: null,
  sentences: [],
  citations: [],
  documents: null,
  language: null,
}

/** Returns the answer after another event of its stream. */
export function applyEvent(answer: Answer, event: Exclude<AnswerEvent, { type: 'error' }>): Answer {
  switch (event.type) {
    case 'sources':
      return { ...answer, citations: event.citations, model: event.model }
    case 'sentence':
      return { ...answer, sentences: [...answer.sentences, event.sentence] }
    case 'notice':
      return { ...answer, notice: event }
    case 'done':
      return {
        ...answer,
        outcome: event.outcome,
        model: event.model,
        documents: event.documents,
        language: event.language,
      }
  }
}

/** A question and its answer. `id` is undefined until it's stored. */
export type Exchange = { readonly id?: string; readonly question: string; readonly answer: Answer }

export const applyToExchange = (exchange: Exchange, event: Exclude<AnswerEvent, { type: 'error' }>): Exchange => ({
  ...exchange,
  answer: applyEvent(exchange.answer, event),
  ...(event.type === 'done' ? { id: event.question_id } : {}),
})

export const shownExchanges = (stored: readonly Exchange[], asked: Exchange | undefined): readonly Exchange[] =>
  asked && !stored.some(({ id }) => id === asked.id) ? [...stored, asked] : stored

/** Whether the answer comes without a language model. */
export const isQuoted = ({ outcome, model }: Answer): boolean => outcome !== null && model === null

/** Characters of a quote in a URL: enough to find the passage if its id has changed. */
export const MAX_LINK_QUOTE_LENGTH = 120

/** Citations by displayed number: a model's in order of mention, others best first. */
export function shownCitations({ outcome, model, sentences, citations }: Answer): (Citation & { shown: number })[] {
  const isTold = model !== null && outcome !== 'not_found'
  const order = isTold ? [...new Set(sentences.flatMap(({ cites }) => cites))] : citations.map(({ n }) => n)
  return order.flatMap((n, index) => {
    const citation = citations.find((one) => one.n === n)
    return citation ? [{ ...citation, shown: index + 1 }] : []
  })
}

const CONTEXT = 120

type Piece = { readonly start: number; readonly text: string; readonly isMarked: boolean }

/** Splits a passage into pieces, marking quoted sentences. Shortens a long beginning. */
export function markedPieces({ n, quote }: Citation, sentences: readonly Sentence[]): Piece[] {
  const passage = quote.replace(/\s+/g, ' ')
  const marks = sentences
    .filter(({ cites }) => cites.includes(n))
    .map(({ text }) => text.replace(/\s+/g, ' '))
    .map((text) => [passage.indexOf(text), text.length] as const)
    .filter(([start]) => start >= 0)
    .toSorted(([a], [b]) => a - b)
  const from = Math.max(0, (marks[0]?.[0] ?? 0) - CONTEXT)
  let end = from === 0 ? 0 : passage.indexOf(' ', from) + 1
  const pieces: Piece[] = end === 0 ? [] : [{ start: -1, text: '… ', isMarked: false }]
  for (const [start, length] of marks) {
    if (start > end) pieces.push({ start: end, text: passage.slice(end, start), isMarked: false })
    pieces.push({ start, text: passage.slice(start, start + length), isMarked: true })
    end = start + length
  }
  return [...pieces, { start: end, text: passage.slice(end), isMarked: false }]
}
