import type { Cell } from '../../lib/api.ts'

/** Formats cells the way spreadsheets exchange them: separated by tabs, quoted if they contain tabs, line breaks or quotes. Null becomes an
 *  empty cell. */
export const toClipboard = (rows: readonly (readonly Cell[])[]): string =>
  rows.map((row) => row.map((cell) => quoted(cell ?? '')).join('\t')).join('\n')

const quoted = (text: string): string => (/[\t\n\r"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** Returns the cells of a text copied from a spreadsheet or by `toClipboard`. */
export function fromClipboard(text: string): string[][] {
  const rows: string[][] = [[]]
  for (let at = 0; at <= text.length; ) {
    let cell = ''
    if (text[at] === '"') {
      at += 1
      while (at < text.length && !(text[at] === '"' && text[at + 1] !== '"')) {
        if (text[at] === '"') at += 1
        cell += text[at++]
      }
      at += 1
    } else while (at < text.length && !/[\t\n\r]/.test(text[at] ?? '')) cell += text[at++]
    rows.at(-1)?.push(cell)
    if (at >= text.length) break
    if (text[at] === '\t') at += 1
    else {
      at += text.startsWith('\r\n', at) ? 2 : 1
      // A final line break doesn't begin a row.
      if (at < text.length) rows.push([])
      else break
    }
  }
  return rows
}
