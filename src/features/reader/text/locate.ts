export type Span = { start: number; end: number }

/** Returns folded letters and digits with their original positions. Spaces, hyphens, ligatures and Markdown syntax may
 *  differ between extracted and rendered text. */
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

/** Long enough to be unique, short enough to survive a footnote or page break inside the passage. */
const ANCHOR = 32

/** Counts letters and digits like `locate`. */
export const countLetters = (text: string): number => fold(text).folded.length

/** Finds a passage in a text, ignoring spacing and punctuation, or else its beginning and end.
 *  @param near Picks the match closest to this many letters and digits.
 *  @returns UTF-16 offsets, end exclusive; undefined if not even the beginning is found. */
export function locate(text: string, passage: string, near = 0): Span | undefined {
  const { folded, places } = fold(text)
  const wanted = fold(passage).folded
  if (wanted === '') return undefined
  const spanOf = (from: number, to: number): Span | undefined => {
    const [start, last] = [places[from], places[to - 1]]
    if (start === undefined || last === undefined) return undefined
    let end = last + ((text.codePointAt(last) ?? 0) > 0xffff ? 2 : 1)
    // Include closing punctuation.
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
  // A distant tail belongs to another passage.
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

/** More matches than anyone would browse. */
const MAX_PLACES = 2000

/** Finds all places of these words, ignoring case and spacing. */
export function locateAll(text: string, words: string): Span[] {
  const { folded, places } = fold(text)
  const wanted = fold(words).folded
  const spans: Span[] = []
  if (wanted === '') return spans
  for (
    let at = folded.indexOf(wanted);
    at !== -1 && spans.length < MAX_PLACES;
    at = folded.indexOf(wanted, at + wanted.length)
  ) {
    const [start, last] = [places[at], places[at + wanted.length - 1]]
    if (start === undefined || last === undefined) break
    spans.push({ start, end: last + ((text.codePointAt(last) ?? 0) > 0xffff ? 2 : 1) })
  }
  return spans
}
