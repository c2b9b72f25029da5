/** A passage that an answer may rest on, under the number by which the answer names it. */
export type Source = {
  readonly n: number
  readonly passage_id: string
  readonly document_id: string
  readonly title: string
  readonly page: number | null
  readonly heading: string | null
  readonly content: string
  /** Cosine to the question, null where only words were compared. */
  readonly similarity: number | null
  /** Of which model the similarity is. */
  readonly model: string
}

export type Sentence = {
  readonly text: string
  /** Numbers of sources. */
  readonly cites: readonly number[]
  /** Whether what it cites bears it out, as far as that can be seen from the words. */
  readonly supported: boolean
}

/** `quoted`: the library's own sentences; `answered`: a model's; `not_found`: it is not in the library. */
export type Outcome = 'quoted' | 'answered' | 'not_found'
