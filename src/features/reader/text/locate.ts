export type Span = { start: number; end: number }

/** Letters and digits alone, folded, with the place in the original of each. Spaces, hyphens at line ends, ligatures and
 *  Markdown signs differ between what was extracted and what is drawn; these do not. */
function fold(text: string): { folded: string; places: number[] } {
  let folded = ''
  const places: number[] = []
  let place = 0
  for (const letter of text) {
    for (const unit of letter.normalize('NFKD').toLowerCase()) {
      if (!/[\p{L}\p{N}]/u.test(unit)) continue
      folded += unit
      for (let i = 0; i < unit.length; i += 1) places.push(place)
    }
    place += letter.length
  }
  return { folded, places }
}

/** Long enough to be found once, short enough to survive a footnote or a page break in the middle of a passage. */
const ANCHOR = 32

/** How many letters and digits a text has, as `locate` counts them. */
export const countLetters = (text: string): number => fold(text).folded.length

/** Where a passage is in a text, however the two differ in spacing and signs.
 *  Where it is not there as a whole, its beginning and its end are looked for.
 *  @param near Of several places, the one that begins nearest to this many letters and digits is taken.
 *  @returns UTF-16 units, end excluded; undefined when not even its beginning is there. */
export function locate(text: string, passage: string, near = 0): Span | undefined {
  const { folded, places } = fold(text)
  const wanted = fold(passage).folded
  if (wanted === '') return undefined
  const spanOf = (from: number, to: number): Span | undefined => {
    const [start, last] = [places[from], places[to - 1]]
    if (start === undefined || last === undefined) return undefined
    let end = last + ((text.codePointAt(last) ?? 0) > 0xffff ? 2 : 1)
    // The full stop, or the bracket that closes, belongs to what it ends.
    while (/[\p{Pe}\p{Pf}.,;:!?"']/u.test(text.charAt(end))) end += 1
    return { start, end }
  }
  const whole = nearestPlace(folded, wanted, near)
  if (whole !== -1) return spanOf(whole, whole + wanted.length)
  if (wanted.length <= ANCHOR) return undefined
  const from = nearestPlace(folded, wanted.slice(0, ANCHOR), near)
  if (from === -1) return undefined
  const tail = wanted.slice(-ANCHOR)
  const end = folded.indexOf(tail, from)
  // A tail that is far away is another passage's.
  const isNear = end !== -1 && end - from < wanted.length * 1.5
  return spanOf(from, isNear ? end + tail.length : Math.min(folded.length, from + wanted.length))
}

function nearestPlace(folded: string, wanted: string, near: number): number {
  let best = -1
  for (let at = folded.indexOf(wanted); at !== -1; at = folded.indexOf(wanted, at + 1)) {
    if (best !== -1 && Math.abs(at - near) >= Math.abs(best - near)) break
    best = at
  }
  return best
}

/** More places than anybody walks through. */
const MOST_PLACES = 2000

/** Every place where words are, in whatever case and spacing. */
export function locateAll(text: string, words: string): Span[] {
  const { folded, places } = fold(text)
  const wanted = fold(words).folded
  const found: Span[] = []
  if (wanted === '') return found
  for (
    let at = folded.indexOf(wanted);
    at !== -1 && found.length < MOST_PLACES;
    at = folded.indexOf(wanted, at + wanted.length)
  ) {
    const [start, last] = [places[at], places[at + wanted.length - 1]]
    if (start === undefined || last === undefined) break
    found.push({ start, end: last + ((text.codePointAt(last) ?? 0) > 0xffff ? 2 : 1) })
  }
  return found
}
