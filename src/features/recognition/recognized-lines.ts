/** A line of a page: `size` is the letter height and `y` the distance from the lower edge, in points. */
export type RecognizedLine = { text: string; size: number; y: number }

/** A line from Tesseract, in pixels from the top. */
export type TesseractLine = {
  text: string
  /** Percent. */
  confidence: number
  bbox: { y1: number }
  rowAttributes: { rowHeight: number }
}

/** Below this, it's nearly always a drawing or stain. */
const MIN_CONFIDENCE = 50
/** Row heights within this ratio of the usual one count as the same type: they vary with the letters. */
const SAME_TYPE = 1.3
/** The limits of `store_recognized_page`. */
const MAX_LINES = 1000
const MAX_LINE_LENGTH = 2000
const MAX_BYTES = 60_000

/** Converts lines in Tesseract's order, without uncertain ones.
 *  @param scale Points per pixel.
 *  @param height The picture's height in pixels. */
export function recognizedLines(lines: readonly TesseractLine[], scale: number, height: number): RecognizedLine[] {
  const legible = lines
    .map((line) => ({
      ...line,
      text: line.text
        .replaceAll(/[\s\p{Cc}]+/gu, ' ')
        .trim()
        .slice(0, MAX_LINE_LENGTH),
    }))
    .filter(({ text, confidence }) => confidence >= MIN_CONFIDENCE && /[\p{L}\p{N}]/u.test(text))
    .slice(0, MAX_LINES)
  const usual = usualHeight(legible)
  const recognized = legible.map(({ text, bbox, rowAttributes: { rowHeight } }) => {
    const isUsual = rowHeight < usual * SAME_TYPE && rowHeight > usual / SAME_TYPE
    return {
      text: text.toWellFormed(),
      size: Math.max(1, Math.round((isUsual ? usual : rowHeight) * scale)),
      y: Math.round((height - bbox.y1) * scale),
    }
  })
  return withinBytes(recognized)
}

/** Returns the row height at the page's median letter. */
function usualHeight(lines: readonly TesseractLine[]): number {
  const byHeight = lines.toSorted((one, other) => one.rowAttributes.rowHeight - other.rowAttributes.rowHeight)
  let left = byHeight.reduce((sum, { text }) => sum + text.length, 0) / 2
  for (const { text, rowAttributes } of byHeight) {
    left -= text.length
    if (left <= 0) return rowAttributes.rowHeight
  }
  return 0
}

function withinBytes(lines: readonly RecognizedLine[]): RecognizedLine[] {
  const encoder = new TextEncoder()
  let bytes = 0
  return lines.filter((line) => {
    bytes += encoder.encode(JSON.stringify(line)).length + 8 // Postgres writes spaces between the parts
    return bytes <= MAX_BYTES
  })
}
