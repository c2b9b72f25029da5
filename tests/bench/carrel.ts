import { fileURLToPath } from 'node:url'
import type { CarrelFigures } from './carrel-figures.ts'
import { runInside } from './inside.ts'
import { runOnKept } from './kept.ts'
import type { SearchFigures } from './search-figures.ts'
import { milliseconds, table } from './table.ts'

const FIGURES = fileURLToPath(new URL('./carrel-figures.ts', import.meta.url))
const SEARCH = fileURLToPath(new URL('./search-figures.ts', import.meta.url))
const SIZES = (process.env.CARREL_PASSAGES ?? '1000,10000,100000').split(',').map(Number)

const KINDS = {
  rare: 'two words that few passages have',
  frequent: 'three of the thirty most frequent words',
  mixed: 'six words as frequent as in a text',
}

/** Carrel's own operations: PDFs from upload to the last passage, on a backend in memory; search among many passages, on a
 *  backend with its data on disk. CARREL_PASSAGES names the numbers of passages. On the first run, inserting a hundred
 *  thousand takes some minutes. */
export async function benchCarrel(): Promise<string> {
  const { pages, ingest, book } = await runInside<CarrelFigures>(FIGURES)
  const sizes: SearchFigures[] = []
  for (const size of SIZES) sizes.push(await runOnKept(`passages-${size}`, SEARCH, [String(size)]))
  const rows = sizes.flatMap(({ passages, searches, found }) =>
    (['rare', 'frequent', 'mixed'] as const).map((kind) => {
      const sorted = searches[kind].toSorted((a, b) => a - b)
      const at = (share: number) => milliseconds(sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN)
      return [
        `search among ${passages.toLocaleString('en')} passages, ${KINDS[kind]}: median, p95; of the ten best by BM25, found`,
        `${at(0.5)}, ${at(0.95)}; ${(found[kind] * 100).toFixed(0)} %`,
      ]
    }),
  )
  return table(
    ['', 'figure'],
    [
      [
        `a PDF of ${pages} pages, from the end of its upload to "ready", first call of the function`,
        milliseconds(ingest[0] ?? Number.NaN),
      ],
      ['the same again', milliseconds(ingest[1] ?? Number.NaN)],
      [`a PDF of ${book.pages} pages (${book.passages} passages)`, milliseconds(book.milliseconds)],
      ...rows,
    ],
  )
}
