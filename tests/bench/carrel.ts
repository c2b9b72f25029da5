import { fileURLToPath } from 'node:url'
import { kilobytes, milliseconds, shareOf, table } from '../../undock/bench/table.ts'
import type { CarrelFigures } from './carrel-figures.ts'
import { runInside } from './inside.ts'
import { runOnKept } from './kept.ts'
import type { Cost, LibraryFigures } from './library-figures.ts'
import type { ManualsFigures } from './manuals-figures.ts'
import type { SearchFigures } from './search-figures.ts'
import type { SmallDocumentsFigures } from './small-documents-figures.ts'

const FIGURES = fileURLToPath(new URL('./carrel-figures.ts', import.meta.url))
const LIBRARY = fileURLToPath(new URL('./library-figures.ts', import.meta.url))
const MANUALS = fileURLToPath(new URL('./manuals-figures.ts', import.meta.url))
const SEARCH = fileURLToPath(new URL('./search-figures.ts', import.meta.url))
const SMALL_DOCUMENTS = fileURLToPath(new URL('./small-documents-figures.ts', import.meta.url))
const SIZES = (process.env.CARREL_PASSAGES ?? '1000,10000,100000').split(',').map(Number)

const KINDS = {
  rare: 'two rare words',
  frequent: 'three of the thirty most frequent words',
  mixed: 'six words of average frequency',
}

/** Measures Carrel's operations: PDF ingestion on a backend in memory, alone and with concurrent searches; search among
 *  many passages, and a library with many documents and people, on backends with data on disk. CARREL_PASSAGES sets the
 *  numbers of passages. The first run inserts a hundred thousand, which takes minutes. */
export async function benchCarrel(): Promise<string> {
  const { pages, ingest, book } = await runInside<CarrelFigures>(FIGURES)
  const manuals = await runInside<ManualsFigures>(MANUALS)
  const small = await runInside<SmallDocumentsFigures>(SMALL_DOCUMENTS)
  const sizes: SearchFigures[] = []
  for (const size of SIZES) sizes.push(await runOnKept(`passages-${size}`, SEARCH, [String(size)]))
  const library = await runOnKept<LibraryFigures>('library', LIBRARY, [])
  const rows = sizes.flatMap(({ passages, searches, found }) =>
    (['rare', 'frequent', 'mixed'] as const).map((kind) => {
      const at = (share: number) => milliseconds(shareOf(searches[kind], share))
      return [
        `search among ${passages.toLocaleString('en')} passages, ${KINDS[kind]}: median, p95; found of the ten best by BM25`,
        `${at(0.5)}, ${at(0.95)}; ${(found[kind] * 100).toFixed(0)} %`,
      ]
    }),
  )
  return table(
    ['', 'figure'],
    [
      [
        `a PDF of ${pages} pages, from upload to "ready", first call of the function`,
        milliseconds(ingest[0] ?? Number.NaN),
      ],
      ['the same, later calls', milliseconds(ingest[1] ?? Number.NaN)],
      [`a PDF of ${book.pages} pages (${book.passages} passages)`, milliseconds(book.milliseconds)],
      [
        `${manuals.manuals} manuals of ${(manuals.bytes / 1e6).toFixed(0)} MB in all (${manuals.passages} passages), from the first upload until the first and until all can be found`,
        `${milliseconds(manuals.first)}, ${milliseconds(manuals.last)}`,
      ],
      [
        'a search at the same time: median, p95',
        [0.5, 0.95].map((share) => milliseconds(shareOf(manuals.searches, share))).join(', '),
      ],
      [
        `${small.documents} small documents (${small.passages} passages): until uploaded, until all can be found; documents a second`,
        `${milliseconds(small.uploaded)}, ${milliseconds(small.ready)}; ${((small.documents / small.ready) * 1000).toFixed(0)}`,
      ],
      ...rows,
      ...ofLibrary(library),
    ],
  )
}

function ofLibrary({ documents, members, guests, shelf, search, tag, field, rule }: LibraryFigures): string[][] {
  const spread = (times: readonly number[]) =>
    [0.5, 0.95].map((share) => milliseconds(shareOf(times, share))).join(', ')
  const cost = ({ time, log }: Cost) => `${milliseconds(time)}, ${kilobytes(log)}`
  const count = (number: number) => number.toLocaleString('en')
  const place = `a library of ${count(documents)} documents, ${count(members)} members and ${count(guests)} guests`
  return [
    [`${place}: first page of the shelf for a member: median, p95`, spread(shelf.member)],
    ['the same for a guest', spread(shelf.guest)],
    ['a search of three words there by a member: median, p95', spread(search.member)],
    ['the same by a guest', spread(search.guest)],
    ['tagging 1,000 documents: time, write-ahead log', cost(tag)],
    ['setting a field of 1,000 documents', cost(field)],
    ['applying a rule that tags and sets a field to 6,000 documents', cost(rule)],
  ]
}
