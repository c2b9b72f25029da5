/** A passage an answer may be based on; `n` is the number by which the answer cites it. */
export type Source = {
  readonly n: number
  readonly passage_id: string
  readonly document_id: string
  readonly title: string
  readonly page: number | null
  readonly heading: string | null
  readonly content: string
  /** The text was recognized in an image. */
  readonly recognized: boolean
  /** Where the question's words are in the content: [start, end] in UTF-16 units. */
  readonly highlights: readonly (readonly [number, number])[]
  readonly language?: string | null
  /** The search score, comparable only within one search. */
  readonly score: number
}

export type Sentence = {
  readonly text: string
  readonly cites: number[]
}

/** `quoted`: sentences from the library; `answered`: sentences from a model; `not_found`: nothing answers, and the
 *  citations are the nearest passages. */
export type AnswerOutcome = 'quoted' | 'answered' | 'not_found'
