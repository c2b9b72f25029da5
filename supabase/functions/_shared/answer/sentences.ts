/** A sentence, a table row, or a list with its introductory sentence. Offsets are UTF-16 units. */
export type Unit = { readonly start: number; readonly end: number; readonly text: string }

const LIST_ITEM = /^[ \t]*(?:[-*•–]|\d{1,3}[.)]|[a-z][.)])[ \t]+/
const TABLE_ROW = /\||\t| {3,}\S+ {3,}/
/** An all-caps line, like the headings of manual pages; scripts without case also match. */
const HEADING = /^(?:[^\p{Ll}\n]{2,40})\n?$/u
/** A running head in three columns, whose last repeats the first or names the manual page. */
const RUNNING_HEAD = /^(?:(\S+) {3,}\S.* {3,}\1|\S.* {3,}\S.* {3,}\S+\(\d\w*\))$/
/** Lines with more words are text, however widely they are spaced. */
const MAX_ROW_WORDS = 6

/** Splits a text into units. A line break ends a sentence only before a paragraph, list or table. */
export function unitsOf(text: string): Unit[] {
  const units: Unit[] = []
  for (const block of blocksOf(text)) {
    if (block.isWhole) units.push(unit(text, block.start, block.end))
    else {
      // Spaces instead of line breaks keep the offsets.
      const lines = text.slice(block.start, block.end).replace(/[\r\n]/g, ' ')
      for (const { segment, index } of new Intl.Segmenter('en', { granularity: 'sentence' }).segment(lines)) {
        units.push(unit(text, block.start + index, block.start + index + segment.length))
      }
    }
  }
  return withLists(
    units.filter(
      ({ start, end, text: said }) => /[\p{L}\p{N}]/u.test(said) && !RUNNING_HEAD.test(text.slice(start, end).trim()),
    ),
  )
}

type Block = {
  start: number
  end: number
  isWhole: boolean
  /** Columns before the first line, and whether a later line is indented further (a term with its description below). */
  indent: number
  hangs: boolean
}

function blocksOf(text: string): Block[] {
  const blocks: Block[] = []
  let open: Block | null = null
  for (const line of text.matchAll(/[^\n]*(?:\n|$)/g)) {
    const [content] = line
    const end = line.index + content.length
    if (!content.trim()) {
      open = null
      continue
    }
    const isWhole: boolean = (LIST_ITEM.test(content) && !isWrapped(content, open, text)) || isTableRow(content.trim())
    const indent = content.search(/\S/)
    // A heading above indented text answers nothing by itself.
    if (open && indent > 0 && open.indent === 0 && HEADING.test(text.slice(open.start, open.end))) {
      blocks.pop()
      open = null
    }
    // An indented line after a list item continues it; in a hanging block, an unindented line starts the next term.
    if (open && !isWhole && (!open.isWhole || indent > 0) && !(open.hangs && indent <= open.indent)) {
      open.end = end
      open.hangs ||= indent > open.indent
    } else {
      open = { start: line.index, end, isWhole, indent, hangs: false }
      blocks.push(open)
    }
  }
  return blocks
}

const isTableRow = (line: string): boolean =>
  line.includes('|') || (TABLE_ROW.test(line) && line.split(/\s+/).length <= MAX_ROW_WORDS)

/** Whether a line that looks like a list item continues a sentence: "a status of / 127. If it is found". */
const isWrapped = (line: string, before: Block | null, text: string): boolean =>
  /^\s*[a-z\d]/.test(line) &&
  before !== null &&
  !before.isWhole &&
  !/[.:;!?]\s*$/.test(text.slice(before.start, before.end))

function withLists(units: readonly Unit[]): Unit[] {
  const joined: Unit[] = []
  let announces = false
  for (const one of units) {
    const before = joined.at(-1)
    const isItem = LIST_ITEM.test(one.text)
    if (before && announces && isItem) {
      joined[joined.length - 1] = { start: before.start, end: one.end, text: `${before.text}\n${one.text}` }
    } else {
      joined.push(one)
      announces = one.text.endsWith(':')
    }
  }
  return joined
}

function unit(text: string, start: number, end: number): Unit {
  const slice = text.slice(start, end)
  return { start, end, text: slice.replace(/\s+/g, ' ').trim() }
}
