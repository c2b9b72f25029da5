import { Change, diff, presentableDiff } from '@codemirror/merge'

/** Characters compared word by word, per changed stretch and in total. */
const MAX_STRETCH_LENGTH = 20_000
const MAX_TOTAL_LENGTH = 400_000
/** Consecutive changed characters or lines after which the diff takes shortcuts. */
const SCANNED_LETTERS = 500
const SCANNED_LINES = 20_000

/** @property changes In order, in UTF-16 units.
 *  @property rough The number of stretches marked as a whole, because comparing their words would take too long. */
export type TextChanges = { changes: readonly Change[]; rough: number }

/** Compares by lines, then by words in changed ones. Bounded: two books of 500 pages take two seconds at most. */
export function compareTexts(a: string, b: string): TextChanges {
  const [linesA, linesB] = [linesOf(a), linesOf(b)]
  const encoded = encode(linesA, linesB)
  // Too many distinct lines to encode.
  if (!encoded) return { changes: diff(a, b, { scanLimit: SCANNED_LETTERS }), rough: 1 }
  const [startsA, startsB] = [startsOf(linesA), startsOf(linesB)]
  const changes: Change[] = []
  let rough = 0
  let left = MAX_TOTAL_LENGTH
  for (const lines of diff(...encoded, { scanLimit: SCANNED_LINES })) {
    const [fromA, toA] = [startsA[lines.fromA] ?? a.length, startsA[lines.toA] ?? a.length]
    const [fromB, toB] = [startsB[lines.fromB] ?? b.length, startsB[lines.toB] ?? b.length]
    const letters = toA - fromA + (toB - fromB)
    const isReplaced = fromA < toA && fromB < toB
    if (isReplaced && letters <= Math.min(left, MAX_STRETCH_LENGTH)) {
      left -= letters
      const within = presentableDiff(a.slice(fromA, toA), b.slice(fromB, toB), { scanLimit: SCANNED_LETTERS })
      changes.push(
        ...within.map((one) => new Change(fromA + one.fromA, fromA + one.toA, fromB + one.fromB, fromB + one.toB)),
      )
    } else {
      if (isReplaced) rough += 1
      changes.push(new Change(fromA, toA, fromB, toB))
    }
  }
  return { changes, rough }
}

const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

function startsOf(lines: readonly string[]): number[] {
  const starts = [0]
  for (const line of lines) starts.push((starts.at(-1) ?? 0) + line.length)
  return starts
}

/** Skips surrogates. */
const CODES = 0xd800

/** Encodes each distinct line as a character; undefined if there are too many. */
function encode(a: readonly string[], b: readonly string[]): [string, string] | undefined {
  const codes = new Map<string, string>()
  for (const line of [...a, ...b]) {
    if (!codes.has(line)) codes.set(line, String.fromCharCode(codes.size))
    if (codes.size > CODES) return undefined
  }
  const write = (lines: readonly string[]) => lines.map((line) => codes.get(line)).join('')
  return [write(a), write(b)]
}
