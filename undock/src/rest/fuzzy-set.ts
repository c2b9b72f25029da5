/** Finds the entries most similar to a text, like the `fuzzyset` library behind PostgREST's hints: candidates share
 *  3-grams (or else 2-grams) with the text and are ranked by Levenshtein distance. */
export class FuzzySet {
  readonly #byKey = new Map<string, string>()
  readonly #grams = new Map<number, Map<string, { readonly key: string; readonly count: number }[]>>()
  readonly #magnitudes = new Map<number, Map<string, number>>()

  constructor(entries: Iterable<string>) {
    for (const entry of entries) this.#add(entry)
  }

  #add(entry: string): void {
    const key = entry.toLowerCase()
    if (this.#byKey.has(key)) return
    this.#byKey.set(key, entry)
    for (const size of SIZES) {
      const vector = gramsOf(key, size)
      const index = this.#grams.get(size) ?? new Map<string, { key: string; count: number }[]>()
      this.#grams.set(size, index)
      for (const [gram, count] of vector) index.set(gram, [...(index.get(gram) ?? []), { key, count }])
      const magnitudes = this.#magnitudes.get(size) ?? new Map<string, number>()
      this.#magnitudes.set(size, magnitudes.set(key, magnitude(vector)))
    }
  }

  get(text: string, minimum = DEFAULT_MINIMUM): { score: number; entry: string }[] {
    const lower = text.toLowerCase()
    const exact = this.#byKey.get(lower)
    if (exact !== undefined) return [{ score: 1, entry: exact }]
    for (const size of SIZES) {
      const found = this.#matches(lower, size, minimum).filter(({ score }) => score >= minimum)
      if (found.length > 0) return found
    }
    return []
  }

  #matches(wanted: string, size: number, minimum: number): { score: number; entry: string }[] {
    const vector = gramsOf(wanted, size)
    const products = new Map<string, number>()
    for (const [gram, count] of vector) {
      for (const entry of this.#grams.get(size)?.get(gram) ?? []) {
        products.set(entry.key, (products.get(entry.key) ?? 0) + entry.count * count)
      }
    }
    const length = magnitude(vector)
    return [...products]
      .map(([key, product]) => ({ key, cosine: product / (length * (this.#magnitudes.get(size)?.get(key) ?? 1)) }))
      .sort((one, other) => other.cosine - one.cosine)
      .slice(0, CANDIDATES)
      .map(({ key }) => ({ score: similarity(wanted, key, minimum), entry: this.#byKey.get(key) ?? key }))
      .sort((one, other) => other.score - one.score)
  }
}

const SIZES = [3, 2] as const
const CANDIDATES = 50
const DEFAULT_MINIMUM = 0.33

function gramsOf(text: string, size: number): Map<string, number> {
  const enclosed = `-${text.replace(/[^\p{L}\p{N}\s,]/gu, '')}-`
  const grams = new Map<string, number>()
  for (let at = 0; at + size <= enclosed.length; at++) {
    const gram = enclosed.slice(at, at + size)
    grams.set(gram, (grams.get(gram) ?? 0) + 1)
  }
  return grams
}

const magnitude = (vector: ReadonlyMap<string, number>): number =>
  Math.sqrt([...vector.values()].reduce((sum, count) => sum + count * count, 0))

/** Returns 0 if the lengths alone keep the score below the minimum: a client's text may be very long. */
const similarity = (one: string, other: string, minimum: number): number => {
  const [shortest = 0, longest = 0] = [one.length, other.length].sort((a, b) => a - b)
  if (shortest < minimum * longest) return 0
  return longest === 0 ? 1 : 1 - levenshtein(one, other) / longest
}

function levenshtein(one: string, other: string): number {
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    for (let column = 1; column <= other.length; column++) {
      const substitution = (previous[column - 1] ?? 0) + (one[row - 1] === other[column - 1] ? 0 : 1)
      current.push(Math.min((previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, substitution))
    }
    previous = current
  }
  return previous[other.length] ?? 0
}
