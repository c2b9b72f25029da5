const WORDS =
  'light tower keeper lamp lens shore storm vessel catalogue drawer card index shelf reader archive paper ink margin letter river bridge stone garden seed winter glass engine signal chart compass harbour island current measure voice memory number question answer method result figure table'.split(
    ' ',
  )

export function sentence(length: number): string {
  return Array.from({ length }, () => WORDS[Math.floor(Math.random() * WORDS.length)]).join(' ')
}
