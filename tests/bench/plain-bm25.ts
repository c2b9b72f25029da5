export type Words = Readonly<Record<string, number>>

/** Textbook BM25 over word counts, as the baseline for search.
 *  @returns a function from a question's words to the positions of documents with a score above zero, best first. */
export function plainBm25(documents: readonly Words[]): (question: Words) => number[] {
  return rank(documents, 1.2, 0.75, () => 1)
}

/** Carrel's ranking by words, computed from all documents. */
export function carrelsBm25(documents: readonly Words[]): (question: Words) => number[] {
  const average = sum(documents.map(lengthOf)) / documents.length
  return rank(documents, 0.2 * Math.sqrt(average), 0.7, (counts) => sum(counts) / counts.length)
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
const lengthOf = (words: Words) => sum(Object.values(words))

/** @param emphasis The factor of a word besides its rarity, by the mean occurrences per document. */
function rank(
  documents: readonly Words[],
  k1: number,
  b: number,
  emphasis: (counts: readonly number[]) => number,
): (question: Words) => number[] {
  const lengths = documents.map(lengthOf)
  const average = sum(lengths) / lengths.length
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
      const weight = times * idf * emphasis(list.map(([, count]) => count))
      for (const [document, count] of list) {
        const k = k1 * (1 - b + (b * (lengths[document] ?? 0)) / average)
        scores.set(document, (scores.get(document) ?? 0) + (weight * count * (k1 + 1)) / (count + k))
      }
    }
    return [...scores].toSorted(([a, one], [b, two]) => two - one || a - b).map(([document]) => document)
  }
}
