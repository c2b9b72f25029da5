/** A passage that an answer may be based on, with the number by which the answer cites it. */
export type Source = {
  readonly n: number
  readonly passage_id: string
  readonly document_id: string
  readonly title: string
  readonly page: number | null
  readonly heading: string | null
  readonly content: string
  /** Its text was recognized in a picture. */
  readonly recognized: boolean
  /** The question's words that stand in the content, the heading or the title. */
  readonly matched: readonly string[]
  /** Where they stand in the content: [start, end] in UTF-16 units. */
  readonly highlights: readonly (readonly [number, number])[]
  /** It was found by its meaning, without any word of the question. */
  readonly related: boolean
}

export type Sentence = {
  readonly text: string
  /** Numbers of the cited sources. */
  readonly cites: readonly number[]
  /** Whether the cited sources support the sentence, as far as the words show. */
  readonly supported: boolean
}

/** `quoted`: sentences of the library; `answered`: sentences of a model; `not_found`: the library has no answer. */
export type Outcome = 'quoted' | 'answered' | 'not_found'
