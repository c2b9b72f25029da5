import * as z from 'zod/mini'

const Citation = z.object({
  n: z.int(),
  passage_id: z.string(),
  document_id: z.guid(),
  title: z.string(),
  page: z.nullable(z.int()),
  heading: z.nullable(z.string()),
  quote: z.string(),
  /** Its text was recognized in a picture. Answers of before do not tell. */
  recognized: z.catch(z.boolean(), false),
})
export type Citation = z.infer<typeof Citation>

const Sentence = z.object({ text: z.string(), cites: z.array(z.int()), supported: z.boolean() })
export type Sentence = z.infer<typeof Sentence>

const Outcome = z.enum(['quoted', 'answered', 'not_found'])

/** An answer as it is stored. One that was stored in another form is read as an answer without sentences. */
export const Answer = z.object({
  outcome: z.catch(Outcome, 'not_found'),
  model: z.catch(z.nullable(z.string()), null),
  sentences: z.catch(z.array(Sentence), []),
  citations: z.catch(z.array(Citation), []),
  documents: z.catch(z.nullable(z.int()), null),
})

/** An answer while it is streamed: `outcome` is null until it is complete. */
export type Answer = {
  outcome: z.infer<typeof Outcome> | null
  model: string | null
  sentences: readonly Sentence[]
  citations: readonly Citation[]
  /** How many documents were asked; null for all of the library, and until the answer is complete. */
  documents: number | null
  notice?: string
}

export const AnswerEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('sources'), citations: z.array(Citation) }),
  z.object({ type: z.literal('sentence'), sentence: Sentence }),
  z.object({ type: z.literal('notice'), message: z.string() }),
  z.object({
    type: z.literal('done'),
    outcome: Outcome,
    model: z.nullable(z.string()),
    documents: z.catch(z.nullable(z.int()), null),
    conversation_id: z.guid(),
    question_id: z.guid(),
  }),
  z.object({ type: z.literal('error'), message: z.string() }),
])
export type AnswerEvent = z.infer<typeof AnswerEvent>

export const EMPTY_ANSWER: Answer = { outcome: null, model: null, sentences: [], citations: [], documents: null }

/** The answer after one more event of its stream. */
export function applyEvent(answer: Answer, event: Exclude<AnswerEvent, { type: 'error' }>): Answer {
  switch (event.type) {
    case 'sources':
      return { ...answer, citations: event.citations }
    case 'sentence':
      return { ...answer, sentences: [...answer.sentences, event.sentence] }
    case 'notice':
      return { ...answer, notice: event.message }
    case 'done':
      return { ...answer, outcome: event.outcome, model: event.model, documents: event.documents }
  }
}

/** The citations that sentences name, in the order in which they are named, each under the number it is shown with. */
export function shownCitations({ sentences, citations }: Answer): (Citation & { shown: number })[] {
  const order = [...new Set(sentences.flatMap(({ cites }) => cites))]
  return order.flatMap((n, index) => {
    const citation = citations.find((one) => one.n === n)
    return citation ? [{ ...citation, shown: index + 1 }] : []
  })
}
