export type Words = Readonly<Record<string, number>>

/** Plain BM25, as in the textbooks, over documents given as word counts: the figure that a search has to reach.
 *  @returns the documents' places in `documents` with a score above zero, the best first, for a question's words. */
export function plainBm25(documents: readonly Words[]): (question: Words) => number[] {
  return rank(documents, 1.2, 0.75, () => 1)
}

/** The order by words alone that Carrel's search aims at, from all documents. */
export function carrelsBm25(documents: readonly Words[]): (question: Words) => number[] {
  const average = sum(documents.map(lengthOf)) / documents.length
  return rank(documents, 0.2 * Math.sqrt(average), 0.7, (counts) => sum(counts) / counts.length)
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
const lengthOf = (words: Words) => sum(Object.values(words))

/** @param emphasis what a word counts for beside its rarity, by how often each document that has it says it. */
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
