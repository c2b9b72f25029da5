/** A passage that an answer may be based on, with the number by which the answer cites it. */
export type Source = {
  readonly n: number
  readonly passage_id: string
  readonly document_id: string
  readonly title: string
  readonly page: number | null
  readonly heading: string | null
  readonly content: string
  /** Cosine similarity to the question; null where only words were compared. */
  readonly similarity: number | null
  /** The model that computed the similarity. */
  readonly model: string
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
