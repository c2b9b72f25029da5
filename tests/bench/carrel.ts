import { fileURLToPath } from 'node:url'
import type { CarrelFigures } from './carrel-figures.ts'
import { runInside } from './inside.ts'
import { milliseconds, table } from './table.ts'

const FIGURES = fileURLToPath(new URL('./carrel-figures.ts', import.meta.url))

/** Carrel's own work on a backend in memory: PDFs from upload to the last passage, search among many passages, and how many
 *  of the nearest the vector index finds. CARREL_PASSAGES names the sizes, "10000,100000" for instance. */
export async function benchCarrel(): Promise<string> {
  const { pages, ingest, book, sizes } = await runInside<CarrelFigures>(FIGURES)
  const rows = sizes.flatMap(({ passages, searches, recall }) => {
    const sorted = searches.toSorted((a, b) => a - b)
    const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN
    return [
      [`search among ${passages.toLocaleString('en')} passages, median of ${sorted.length}`, milliseconds(at(0.5))],
      ['the same, p95', milliseconds(at(0.95))],
      ['of the ten nearest passages, found by the HNSW index', `${(recall * 100).toFixed(1)} %`],
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
