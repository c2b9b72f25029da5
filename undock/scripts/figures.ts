// `node scripts/figures.ts [--check]`: writes figures of docs/benchmarks.md into the pages that mark a place for one:
// `<!-- bench: SECTION / ROW / COLUMN -->`, where ROW is a regular expression for the beginning of a row's cells.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const PAGES = ['README.md']

const benchmarks = readFileSync(join(ROOT, 'docs/benchmarks.md'), 'utf8')
for (const page of PAGES) {
  const path = join(ROOT, page)
  const before = readFileSync(path, 'utf8')
  const after = before.replaceAll(
    /(<!-- bench: ([^/\n]+) \/ ([^/\n]+) \/ ([^/\n]+?) -->)[^|\n]*/g,
    (_, mark, ...place) => {
      const [section = '', row = '', column = ''] = place
      return `${mark} ${figure(section, row, column)} `
    },
  )
  if (!process.argv.includes('--check')) writeFileSync(path, after)
  else if (after !== before) {
    console.error(`${page} has other figures than docs/benchmarks.md. Run: node scripts/figures.ts`)
    process.exit(1)
  }
}

/** @throws {Error} when the benchmarks have no such figure: the page must name another one. */
function figure(section: string, row: string, column: string): string {
  // The default engine's section is the first of that name.
  const [, text = ''] = benchmarks.split(new RegExp(`\\n###? ${section}`))
  const [part = ''] = text.split(/\n##/)
  let columns: string[] = []
  for (const line of part.split('\n')) {
    const cells = line.split('|').map((cell) => cell.trim())
    if (cells.length < 3) columns = []
    else if (columns.length === 0) columns = cells
    else if (new RegExp(`^(?:${row})`).test(cells.slice(1).join(', '))) {
      const found = cells[columns.indexOf(column)]
      if (found) return found
    }
  }
  throw new Error(`docs/benchmarks.md has no figure ${section} / ${row} / ${column}`)
}
