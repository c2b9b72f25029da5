/** A line of a page: `size` is the height of its letters and `y` its distance from the page's lower edge, both in points. */
export type RecognizedLine = { text: string; size: number; y: number }

/** What Tesseract says of a line. Lengths are in pixels, from the upper edge of the picture. */
export type TesseractLine = {
  text: string
  /** Per cent. */
  confidence: number
  bbox: { y1: number }
  rowAttributes: { rowHeight: number }
}

/** Below this, a line is nearly always a drawing or a stain that was taken for letters. */
const LEAST_CONFIDENCE = 50
/** Heights of rows within this share of the page's usual one are taken for the same type: they vary with the letters of a line. */
const SAME_TYPE = 1.3
/** The limits of `store_recognized_page`. */
const MOST_LINES = 1000
const LONGEST_LINE = 2000
const MOST_BYTES = 60_000

/** The lines of a page, in the order of Tesseract's layout, without those that it is not sure of.
 *  @param scale Points of a pixel.
 *  @param height The picture's height in pixels. */
export function recognizedLines(lines: readonly TesseractLine[], scale: number, height: number): RecognizedLine[] {
  const legible = lines
    .map((line) => ({
      ...line,
      text: line.text
        .replaceAll(/[\s\p{Cc}]+/gu, ' ')
        .trim()
        .slice(0, LONGEST_LINE),
    }))
    .filter(({ text, confidence }) => confidence >= LEAST_CONFIDENCE && /[\p{L}\p{N}]/u.test(text))
    .slice(0, MOST_LINES)
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

/** The height of the row in which the middle letter of the page is. */
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
    return bytes <= MOST_BYTES
  })
}
