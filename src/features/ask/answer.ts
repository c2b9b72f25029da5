import * as z from 'zod/mini'

const Citation = z.object({
  n: z.int(),
  passage_id: z.string(),
  document_id: z.guid(),
  title: z.string(),
  page: z.nullable(z.int()),
  heading: z.nullable(z.string()),
  quote: z.string(),
})
export type Citation = z.infer<typeof Citation>

const Sentence = z.object({ text: z.string(), cites: z.array(z.int()), supported: z.boolean() })
export type Sentence = z.infer<typeof Sentence>

const Outcome = z.enum(['quoted', 'answered', 'not_found'])

/** An answer as it is kept. What was kept in another form is an answer without sentences. */
export const Answer = z.object({
  outcome: z.catch(Outcome, 'not_found'),
  model: z.catch(z.nullable(z.string()), null),
  sentences: z.catch(z.array(Sentence), []),
  citations: z.catch(z.array(Citation), []),
})

/** An answer on its way: `outcome` is null until it is whole. */
export type Answer = {
  outcome: z.infer<typeof Outcome> | null
  model: string | null
  sentences: readonly Sentence[]
  citations: readonly Citation[]
  notice?: string
}

export const Told = z.discriminatedUnion('type', [
  z.object({ type: z.literal('sources'), citations: z.array(Citation) }),
  z.object({ type: z.literal('sentence'), sentence: Sentence }),
  z.object({ type: z.literal('notice'), message: z.string() }),
  z.object({
    type: z.literal('done'),
    outcome: Outcome,
    model: z.nullable(z.string()),
    conversation_id: z.guid(),
    question_id: z.guid(),
  }),
  z.object({ type: z.literal('error'), message: z.string() }),
])
export type Told = z.infer<typeof Told>

export const NOTHING_YET: Answer = { outcome: null, model: null, sentences: [], citations: [] }

/** The answer after one more thing was told of it. */
export function hear(answer: Answer, told: Exclude<Told, { type: 'error' }>): Answer {
  switch (told.type) {
    case 'sources':
      return { ...answer, citations: told.citations }
    case 'sentence':
      return { ...answer, sentences: [...answer.sentences, told.sentence] }
    case 'notice':
      return { ...answer, notice: told.message }
    case 'done':
      return { ...answer, outcome: told.outcome, model: told.model }
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
