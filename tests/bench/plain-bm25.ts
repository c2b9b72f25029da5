export type Words = Readonly<Record<string, number>>

/** Plain BM25, as in the textbooks, over documents given as word counts: the figure that a search has to reach.
 *  @returns the documents' places in `documents` with a score above zero, the best first, for a question's words. */
export function plainBm25(documents: readonly Words[], k1 = 1.2, b = 0.75): (question: Words) => number[] {
  const lengths = documents.map((words) => Object.values(words).reduce((sum, count) => sum + count, 0))
  const average = lengths.reduce((sum, length) => sum + length, 0) / lengths.length
  const postings = new Map<string, [number, number][]>()
  documents.forEach((words, document) => {
    for (const [word, count] of Object.entries(words)) {
      const list = postings.get(word)
      if (list) list.push([document, count])
      else postings.set(word, [[document, count]])
    }
  })
  return (question) => {
    const scores = new Map<number, number>()
    for (const [word, times] of Object.entries(question)) {
      const list = postings.get(word) ?? []
      const idf = Math.log(1 + (documents.length - list.length + 0.5) / (list.length + 0.5))
      for (const [document, count] of list) {
        const k = k1 * (1 - b + (b * (lengths[document] ?? 0)) / average)
        scores.set(document, (scores.get(document) ?? 0) + (times * idf * count * (k1 + 1)) / (count + k))
      }
    }
    return [...scores].toSorted(([a, one], [b, two]) => two - one || a - b).map(([document]) => document)
  }
}
