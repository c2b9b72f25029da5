const COMMON = new Set(
  'a about after all also an and any are as at be because been before but by can could did do does doing done for from get had has have how i if in into is it its just me more most much my no not of on one only or our out over say says shall she should so some such tell than that the their them then there these they this those through to too under up us very was we were what when where which while who whom whose why will with would you your please explain describe according'.split(
    ' ',
  ),
)
/** The number of letters that forms of a word usually share: "light", "lights" and "lighting" have one stem. */
const STEM = 5

export function stemsOf(text: string): Set<string> {
  const words =
    text
      .toLowerCase()
      .normalize('NFKD')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  return new Set(words.filter((word) => word.length > 1 && !COMMON.has(word)).map((word) => word.slice(0, STEM)))
}

/** Returns the weighted share of the stems found in a text, 0 to 1; 1 if there are no stems. */
export function coverage(
  wanted: ReadonlySet<string>,
  text: ReadonlySet<string>,
  weightOf: (stem: string) => number = () => 1,
): number {
  let all = 0
  let had = 0
  for (const stem of wanted) {
    const weight = weightOf(stem)
    all += weight
    if (text.has(stem)) had += weight
  }
  return all === 0 ? 1 : had / all
}
