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
  /** Where the question's words are in the content: [start, end] in UTF-16 units. */
  readonly highlights: readonly (readonly [number, number])[]
  /** The language of the text, where it is known. */
  readonly language?: string | null
  /** How near the search finds it, comparable with the other sources of the same search only. */
  readonly score: number
}

export type Sentence = {
  readonly text: string
  /** Numbers of the cited sources. */
  readonly cites: number[]
}

/** `quoted`: sentences of the library; `answered`: sentences of a model; `not_found`: no passage answers, the citations are
 *  the nearest. */
export type AnswerOutcome = 'quoted' | 'answered' | 'not_found'
