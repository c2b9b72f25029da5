const SYLLABLES = 'ba de fi go lu ma ne pi ro su ta ve zo ka le mi no ru sa ti'.split(' ')
const SIZE = 20_000
/** Zipf's law with the flat top of texts on one subject: the most frequent word is in two of five passages. */
const FLAT = 30

/** The word with a frequency rank, 0 to 19,999. Stems are unique. */
export function wordOf(rank: number): string {
  let rest = rank
  let word = ''
  for (let place = 0; place < 4; place++) {
    word += SYLLABLES[rest % SYLLABLES.length]
    rest = Math.floor(rest / SYLLABLES.length)
  }
  return `${word}k`
}

/** Reproducible random numbers from 0 to 1. */
export function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32
  }
}

const shares = Float64Array.from({ length: SIZE }, (_, rank) => 1 / (rank + 1 + FLAT))
const total = shares.reduce((sum, share) => sum + share, 0)
const upTo = shares.map(
  (
    (sum) => (share: number) =>
      (sum += share / total)
  )(0),
)

export function drawRank(random: () => number): number {
  const wanted = random()
  let low = 0
  let high = SIZE - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if ((upTo[middle] ?? 1) < wanted) low = middle + 1
    else high = middle
  }
  return low
}

/** Draws a passage's words: about a hundred, some repeated. */
export function drawPassage(random: () => number): number[] {
  const ranks: number[] = []
  const length = 60 + Math.floor(random() * 80)
  while (ranks.length < length) {
    const again = ranks.length > 0 && random() < 0.2
    ranks.push(again ? (ranks[Math.floor(random() * ranks.length)] ?? 0) : drawRank(random))
  }
  return ranks
}
