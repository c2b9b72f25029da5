import { bodySize, type Line, type TextItem } from './lines.ts'

export type NoteItem = {
  readonly subtype: string
  readonly rect: readonly number[]
  readonly fieldType?: string
  readonly fieldValue?: unknown
  readonly password?: boolean
  readonly options?: readonly { readonly exportValue: string | null; readonly displayValue: string | null }[]
  readonly contentsObj?: { readonly str: string }
  readonly textContent?: readonly string[]
}

/** A popup repeats its note, and a link has only a description. */
const WITHOUT_TEXT = ['Popup', 'Link']

/** Adds form values after the line they are on or below, and annotations at the end of the page. */
export function withNotes(lines: readonly Line[], items: readonly NoteItem[]): Line[] {
  const all = [...lines]
  const size = bodySize([lines]) || 10
  for (const item of items) {
    const text = textOf(item).replace(/\s+/g, ' ').trim()
    if (!text) continue
    const [, bottom = 0, , top = bottom] = item.rect
    const y = Math.max(bottom, top - size * 1.2)
    if (item.subtype !== 'Widget') {
      all.push({ text, size, y })
      continue
    }
    const beside = all.findLastIndex((line) => line.y >= bottom - 3 && line.y <= top)
    const label = all[beside]
    if (label) all[beside] = { ...label, text: `${label.text} ${text}` }
    else {
      const below = all.findIndex((line) => line.y < bottom)
      all.splice(below === -1 ? all.length : below, 0, { text, size, y })
    }
  }
  return all
}

function textOf({
  subtype,
  fieldType,
  fieldValue,
  password,
  options = [],
  contentsObj,
  textContent = [],
}: NoteItem): string {
  if (WITHOUT_TEXT.includes(subtype)) return ''
  if (subtype !== 'Widget') return contentsObj?.str || textContent.join(' ')
  if (password || (fieldType !== 'Tx' && fieldType !== 'Ch')) return ''
  const shown = (value: unknown) =>
    options.find(({ exportValue }) => exportValue === value)?.displayValue ?? value ?? ''
  return [fieldValue].flat().map(shown).join(', ') || textContent.join(' ')
}

const STAMPED = 120
const MAX_PAGE_SHARE = 0.5
/** The minimum share of letters and digits among the visible characters of real text. */
const READABLE = 0.5
/** pdf.js operator numbers for placing pictures. The pictures themselves aren't decoded. */
const [SAVE, RESTORE, TRANSFORM, FORM, END_FORM] = [10, 11, 12, 74, 75]

type Page = {
  readonly view: number[]
  getOperatorList(): Promise<{ fnArray: readonly number[]; argsArray: readonly unknown[] }>
}

/** Whether a page needs text recognition: it's a picture with a few stamped words, or its text layer is garbage. */
export async function isScan(page: Page, items: readonly TextItem[]): Promise<boolean> {
  const signs = items
    .map(({ str }) => str)
    .join('')
    .replace(/[\s.·_-]/g, '')
  if (signs.length >= STAMPED) return signs.replace(/[^\p{L}\p{M}\p{N}]|\p{Co}/gu, '').length < signs.length * READABLE
  const [left = 0, bottom = 0, right = 0, top = 0] = page.view
  const { fnArray, argsArray } = await page.getOperatorList()
  return coveredArea(fnArray, argsArray) > (right - left) * (top - bottom) * MAX_PAGE_SHARE
}

/** Sums up the area of the pictures, each of which the operators draw as a transformed unit square. */
function coveredArea(operators: readonly number[], operands: readonly unknown[]): number {
  let area = 0
  let scale = 1
  const scales: number[] = []
  for (const [index, operator] of operators.entries()) {
    if (operator === SAVE || operator === FORM) scales.push(scale)
    if (operator === RESTORE || operator === END_FORM) scale = scales.pop() ?? 1
    if (operator !== TRANSFORM && operator !== FORM) continue
    const matrix = operator === FORM ? [operands[index]].flat()[0] : operands[index]
    if (!isMatrix(matrix)) continue
    const [a = 1, b = 0, c = 0, d = 1] = matrix
    scale *= Math.abs(a * d - b * c)
    if (operator === TRANSFORM && operators[index + 1] === RESTORE) area += scale
  }
  return area
}

const isMatrix = (value: unknown): value is readonly number[] =>
  (Array.isArray(value) || value instanceof Float32Array) && value.length === 6
