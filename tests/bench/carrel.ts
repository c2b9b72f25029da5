import { fileURLToPath } from 'node:url'
import type { CarrelFigures } from './carrel-figures.ts'
import { runInside } from './inside.ts'
import { runOnKept } from './kept.ts'
import type { SearchFigures } from './search-figures.ts'
import { milliseconds, table } from './table.ts'

const FIGURES = fileURLToPath(new URL('./carrel-figures.ts', import.meta.url))
const SEARCH = fileURLToPath(new URL('./search-figures.ts', import.meta.url))
const SIZES = (process.env.CARREL_PASSAGES ?? '10000,100000').split(',').map(Number)

/** Carrel's own operations: PDFs from upload to the last passage, on a backend in memory; search among many passages,
 *  and how many of the nearest the vector index finds, on a backend with its data on disk. CARREL_PASSAGES names the
 *  numbers of passages. On the first run, inserting a hundred thousand takes some minutes. */
export async function benchCarrel(): Promise<string> {
  const { pages, ingest, book } = await runInside<CarrelFigures>(FIGURES)
  const sizes: SearchFigures[] = []
  for (const size of SIZES) sizes.push(await runOnKept(`passages-${size}`, SEARCH, [String(size)]))
  const rows = sizes.flatMap(({ passages, searches, recall, indexing }) => {
    const sorted = searches.toSorted((a, b) => a - b)
    const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN
    return [
      [`search among ${passages.toLocaleString('en')} passages, median of ${sorted.length}`, milliseconds(at(0.5))],
      ['the same, p95', milliseconds(at(0.95))],
      ['of the ten nearest passages, found by the HNSW index', `${(recall * 100).toFixed(1)} %`],
      ...(indexing === null ? [] : [['that index, made at once', `${Math.round(indexing / 1_000)} s`]]),
    ]
  })
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
