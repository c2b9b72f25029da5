import { deepStrictEqual, match, ok } from 'node:assert/strict'
import type { Line } from '../_shared/extraction/pdf/lines.ts'
import type { Passage } from '../_shared/passages.ts'
import { type Budget, createBudget } from './budget.ts'
import { type Embedded, Lost, type Queue, type Read, type Work } from './queue.ts'
import { type RunDeps, runDocument } from './run.ts'
import type { Versions } from './versions.ts'

const FIXTURES = new URL('../../../tests/fixtures/', import.meta.url)
const WORK: Work = {
  run: 'run',
  document_id: 'document',
  library_id: 'library',
  version_id: 'version',
  kind: 'file',
  url: null,
  title: 'Reading room',
  storage_path: 'library/document/reading-room.pdf',
  body: null,
  file_name: 'reading-room.pdf',
  created_by: null,
  refetch: false,
  attachments_left: 500,
  pages_read: 0,
  reading: null,
}
const waitFor = <Result>(result: Promise<Result>) => result
const SPENT: Budget = { isSpent: () => true, waitFor, startDocument() {}, allowsLongStep: () => true }
const PLENTY: Budget = { ...SPENT, isSpent: () => false }
const MODEL = { model: 'model', unrelated: null, embed: async (texts: readonly string[]) => texts.map(() => [1]) }

type Recognized = { page: number; lines: Line[] }

function memory(work: Work = WORK, recognized: Recognized[] = [], file: Blob | null = null) {
  const pages: Line[][] = []
  const passages: (Passage & { embedding?: readonly number[] })[] = []
  const events: string[] = []
  let reading: Work['reading'] = null
  let stored = 0
  const add = (first: number, added: readonly Passage[]) => void passages.splice(first, added.length, ...added)
  const complete = (read: Read) => {
    add(read.first, read.passages)
    reading = read.reading as Work['reading']
  }
  const queue: Partial<Queue> = {
    report: async () => {},
    storePages: async (_run, first, added) => {
      deepStrictEqual(first, pages.length + 1)
      pages.push(...(added as Line[][]))
    },
    storedPages: async () => pages,
    storePassages: async (_run, first, added) => add(first, added),
    completeReading: async (_run, read) => complete(read),
    passagesToEmbed: async (_run, most) =>
      passages
        .flatMap(({ embedding, heading, content }, ordinal) => (embedding ? [] : [{ ordinal, heading, content }]))
        .slice(0, most),
    storeEmbeddings: async (_run, _model, embeddings: readonly Embedded[]) => {
      for (const { ordinal, embedding } of embeddings) Object.assign(passages[ordinal] ?? {}, { embedding })
    },
    store: async (_run, version, model, read) => {
      if (read) complete(read)
      stored = Math.min(stored + 10, passages.length)
      events.push(`${stored < passages.length ? 'stored' : 'finished'} ${version} ${model}`)
      return passages.length - stored
    },
    fail: async (_run, _version, problem, mayPass) => void events.push(`failed ${mayPass} ${problem.code}`),
    release: async () => void events.push('released'),
  }
  const name = work.storage_path?.split('/').at(-1) ?? ''
  const versions: Partial<Versions> = {
    download: async () => new Uint8Array(await (file ? file.arrayBuffer() : Deno.readFile(new URL(name, FIXTURES)))),
    keepPagesWithoutText: async (_version, without) => void events.push(`versions without text: ${without}`),
    recognizedPages: async () => recognized,
  }
  const deps: RunDeps = {
    queue: queue as Queue,
    versions: versions as Versions,
    embedder: Promise.resolve(null),
    fetchLink: async () => {},
  }
  return {
    deps,
    queue,
    pages,
    passages,
    events,
    work: (): Work => ({ ...work, pages_read: pages.length, reading }),
  }
}

Deno.test('a run with a spent budget takes one step, and several runs give the same result as one', async () => {
  const one = memory()
  await runDocument(one.work(), one.deps, PLENTY)
  deepStrictEqual(one.events[0], 'versions without text: ')
  deepStrictEqual(one.events.at(-1), 'finished version null')
  ok(one.events.filter((event) => event.startsWith('stored')).length > 1)

  const many = memory()
  const deps = { ...many.deps, embedder: Promise.resolve(MODEL) }
  for (let runs = 0; runs < 100 && !many.events.some((event) => event.startsWith('finished')); runs++) {
    await runDocument(many.work(), deps, SPENT)
    if (runs < 20) deepStrictEqual([many.pages.length, many.passages.length], [runs + 1, 0])
  }
  deepStrictEqual(many.events.at(-1), 'finished version model')
  ok(many.events.filter((event) => event === 'released').length > 20)
  deepStrictEqual(
    many.passages.map(({ content }) => content),
    one.passages.map(({ content }) => content),
  )
  ok(many.passages.every(({ embedding }) => embedding))
})

Deno.test('unreadable content is final, other errors can be retried, and losing the document ends the run', async () => {
  const unreadable = memory({ ...WORK, file_name: 'reading-room.png' })
  await runDocument(unreadable.work(), unreadable.deps, PLENTY)
  match(unreadable.events.join(), /^failed false file_misnamed$/)

  const broken = memory()
  broken.queue.store = () => Promise.reject(new Error('The network is down.'))
  await runDocument(broken.work(), broken.deps, PLENTY)
  match(broken.events.join(), /failed true reading_failed/)

  const lost = memory()
  lost.queue.store = () => Promise.reject(new Lost())
  await runDocument(lost.work(), lost.deps, PLENTY)
  deepStrictEqual(lost.events, ['versions without text: '])
})

const SCAN = { ...WORK, storage_path: 'library/document/pictures-only.pdf', file_name: 'pictures-only.pdf' }
const RECOGNIZED = [{ page: 1, lines: [{ text: 'The lamp is lit at dusk by the keeper.', size: 11, y: 700 }] }]

Deno.test('a scanned PDF has its recognized text, and fails without any', async () => {
  const scan = memory(SCAN, RECOGNIZED)
  await runDocument(scan.work(), scan.deps, PLENTY)
  deepStrictEqual([scan.events[0], scan.events.at(-1)], ['versions without text: 1', 'finished version null'])
  deepStrictEqual(
    scan.passages.map(({ page, content }) => [page, content]),
    [[1, 'The lamp is lit at dusk by the keeper.']],
  )

  const empty = memory(SCAN, [{ page: 1, lines: [] }])
  await runDocument(empty.work(), empty.deps, PLENTY)
  match(empty.events.join(), /^versions without text: 1,failed false pdf_without_text/)
})

Deno.test('an image has its recognized text, without a page', async () => {
  const image = { ...WORK, storage_path: 'library/document/lying.pdf', file_name: 'lamp.png' }
  const scan = memory(image, RECOGNIZED)
  await runDocument(scan.work(), scan.deps, PLENTY)
  deepStrictEqual([scan.events[0], scan.events.at(-1)], ['versions without text: 1', 'finished version null'])
  deepStrictEqual(
    scan.passages.map(({ page, content }) => [page, content]),
    [[null, 'The lamp is lit at dusk by the keeper.']],
  )
})

Deno.test('each page of a TIFF has its recognized text', async () => {
  const image = { ...WORK, storage_path: 'library/document/fax.tif', file_name: 'fax.tif' }
  const file = new Blob([await Deno.readFile(new URL('kinds/sample.tiff', FIXTURES))])
  const scan = memory(
    image,
    RECOGNIZED.map((page) => ({ ...page, page: 2 })),
    file,
  )
  await runDocument(scan.work(), scan.deps, PLENTY)
  deepStrictEqual(scan.events[0], 'versions without text: 1,2')
  deepStrictEqual(
    scan.passages.map(({ page, content }) => [page, content]),
    [[2, 'The lamp is lit at dusk by the keeper.']],
  )
})

Deno.test('a budget counts work, not download time', async () => {
  let time = 0
  const budget = createBudget(() => time)
  await budget.waitFor(Promise.resolve().then(() => (time += 60_000)))
  deepStrictEqual(budget.isSpent(), false)
  time += 1001
  deepStrictEqual(budget.isSpent(), true)
})

Deno.test('a large file stored without reading needs no call of its own, and is found by its name', async () => {
  const large = new Blob([new Uint8Array(2_000_000)])
  const kept = memory({ ...WORK, file_name: 'disk.img' }, [], large)
  await runDocument(kept.work(), kept.deps, { ...PLENTY, allowsLongStep: () => false })
  deepStrictEqual(kept.events, ['finished version null'])
  deepStrictEqual(
    kept.passages.map(({ content }) => content),
    ['disk.img'],
  )
  deepStrictEqual(kept.work().reading?.mime, 'application/octet-stream')
})

Deno.test('a large file other than a PDF is only read as the first document of a call', async () => {
  const large = new Blob(['The keeper trims the wick of the lamp. '.repeat(30_000)])
  const second = memory({ ...WORK, file_name: 'log.txt' }, [], large)
  const budget = createBudget()
  budget.startDocument()
  await runDocument(second.work(), second.deps, budget)
  deepStrictEqual([second.events, second.passages.length, budget.isSpent()], [['released'], 0, true])

  await runDocument(second.work(), second.deps, createBudget())
  deepStrictEqual(second.events.at(-1), 'finished version null')
})
