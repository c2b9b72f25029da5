import { expect, test } from 'vitest'
import { createUploadQueue, type SendOptions, type Upload, type UploadSteps } from './upload-queue.ts'

const HERE = { library: 'library', collection: undefined }
const fileOf = (name: string, size = 1024 * 1024) => new File([new Uint8Array(size)], name)

type Sending = { upload: Upload; options: SendOptions; arrive: () => void; break: (error: Error) => void }

function open(overrides: Partial<UploadSteps> = {}) {
  const sendings: Sending[] = []
  const filed: string[] = []
  const queue = createUploadQueue({
    check: async () => undefined,
    findDuplicate: async ({ name }) => ({ hash: `hash of ${name}` }),
    isResumable: () => true,
    send: (upload, options) => {
      const { promise, resolve, reject } = Promise.withResolvers<{ document: string; path: string }>()
      options.signal.addEventListener('abort', () => reject(options.signal.reason))
      const arrive = () => resolve({ document: `document of ${upload.file.name}`, path: 'path' })
      sendings.push({ upload, options, arrive, break: reject })
      return promise
    },
    checkChange: async () => undefined,
    file: async (_upload, { document, hash }) => void filed.push(`${document}, ${hash}`),
    keep: async () => true,
    drop: () => {},
    now: () => 0,
    explain: (error) => (error instanceof Error ? error.message : 'unknown'),
    ...overrides,
  })
  return { queue, sendings, filed, steps: () => queue.get().map(({ state }) => state.step) }
}

const settle = () => new Promise((resolve) => setTimeout(resolve))

test('a queued file is uploaded and added to the shelf', async () => {
  const { queue, sendings, filed } = open()
  queue.add([fileOf('a.pdf')], HERE)
  expect(queue.get()[0]?.state).toEqual({ step: 'checking' })
  await settle()
  sendings[0]?.options.onSent(4)
  expect(queue.get()[0]?.state).toEqual({ step: 'sending', sent: 4, speed: null })
  sendings[0]?.arrive()
  await settle()
  expect(queue.get()[0]?.state).toEqual({ step: 'done', document: 'document of a.pdf' })
  expect(filed).toEqual(['document of a.pdf, hash of a.pdf'])
})

test('a file that changes during its upload is not added', async () => {
  const { queue, sendings, filed } = open({ checkChange: async () => 'It has changed.' })
  queue.add([fileOf('a.pdf'), fileOf('b.pdf')], HERE)
  await settle()
  sendings[0]?.arrive()
  sendings[1]?.break(new Error('tus: ProgressEvent'))
  await settle()
  const refused = { step: 'refused', reason: 'It has changed.' }
  expect([queue.get().map(({ state }) => state), filed]).toEqual([[refused, refused], []])
})

test('two large files are uploaded at a time, and the next starts when one is done', async () => {
  const { queue, sendings, steps } = open()
  queue.add([fileOf('a'), fileOf('b'), fileOf('c')], HERE)
  await settle()
  expect(steps()).toEqual(['sending', 'sending', 'waiting'])
  sendings[1]?.arrive()
  await settle()
  expect(steps()).toEqual(['sending', 'done', 'sending'])
})

test('small files are uploaded in parallel up to one megabyte, at most six', async () => {
  const { queue, steps } = open()
  queue.add(
    [...'abcdefgh'].map((name) => fileOf(name, 1_000)),
    HERE,
  )
  await settle()
  expect(steps().filter((step) => step === 'sending')).toHaveLength(6)
  const { queue: larger, steps: ofLarger } = open()
  larger.add(
    [...'abcdefgh'].map((name) => fileOf(name, 300_000)),
    HERE,
  )
  await settle()
  expect(ofLarger().filter((step) => step === 'sending')).toHaveLength(3)
})

test('a rejected file is never uploaded, and the reason is shown', async () => {
  const { queue, sendings } = open({ check: async ({ name }) => (name === 'bad' ? 'This file is empty.' : undefined) })
  queue.add([fileOf('bad'), fileOf('good')], HERE)
  await settle()
  expect(queue.get().map(({ state }) => state)).toEqual([
    { step: 'refused', reason: 'This file is empty.' },
    { step: 'sending', sent: null, speed: null },
  ])
  expect(sendings).toHaveLength(1)
})

test('a file that is already in the library is not uploaded', async () => {
  const { queue, sendings } = open({ findDuplicate: async () => ({ id: 'known', title: 'Report' }) })
  queue.add([fileOf('a')], HERE)
  await settle()
  expect(queue.get()[0]?.state).toEqual({ step: 'duplicate', document: 'known', title: 'Report' })
  expect(sendings).toHaveLength(0)
})

test('a file added by this upload before a reload is done', async () => {
  const { queue, sendings } = open({ findDuplicate: async () => ({ id: 'mine', title: 'Report' }) })
  queue.restore([{ ...HERE, id: 'mine', file: fileOf('a') }])
  await settle()
  expect(queue.get()[0]?.state).toEqual({ step: 'done', document: 'mine' })
  expect(sendings).toHaveLength(0)
})

test('a paused upload lets the next one start, and resumes where it stopped', async () => {
  const { queue, sendings, steps } = open()
  queue.add([fileOf('a'), fileOf('b'), fileOf('c')], HERE)
  await settle()
  sendings[0]?.options.onSent(7)
  queue.pause(queue.get()[0]?.id ?? '')
  await settle()
  expect(queue.get()[0]?.state).toEqual({ step: 'paused', sent: 7 })
  expect(steps()).toEqual(['paused', 'sending', 'sending'])
  sendings[1]?.arrive()
  queue.resume(queue.get()[0]?.id ?? '')
  await settle()
  expect(steps()).toEqual(['sending', 'done', 'sending'])
})

test('late events of a paused transfer have no effect', async () => {
  const { queue, sendings } = open()
  queue.add([fileOf('a')], HERE)
  await settle()
  queue.pause(queue.get()[0]?.id ?? '')
  sendings[0]?.options.onSent(9)
  await settle()
  expect(queue.get()[0]?.state).toEqual({ step: 'paused', sent: null })
})

test('a failure is explained and can be retried', async () => {
  const { queue, sendings } = open()
  queue.add([fileOf('a')], HERE)
  await settle()
  sendings[0]?.break(new Error('The library does not answer.'))
  await settle()
  expect(queue.get()[0]?.state).toEqual({ step: 'failed', reason: 'The library does not answer.' })
  queue.resume(queue.get()[0]?.id ?? '')
  await settle()
  sendings[1]?.arrive()
  await settle()
  expect(queue.get()[0]?.state.step).toBe('done')
})

test('removing a file from the list cancels its upload', async () => {
  const { queue, sendings, filed } = open()
  queue.add([fileOf('a')], HERE)
  await settle()
  queue.remove(queue.get()[0]?.id ?? '')
  await settle()
  expect({ aborted: sendings[0]?.options.signal.aborted, left: queue.get(), filed }).toEqual({
    aborted: true,
    left: [],
    filed: [],
  })
})

test('signing out cancels all uploads and deletes their copies', async () => {
  const { queue, sendings } = open()
  queue.add([fileOf('a'), fileOf('b'), fileOf('c')], HERE)
  await settle()
  queue.clear()
  await settle()
  expect(sendings.map(({ options }) => options.signal.aborted)).toEqual([true, true])
  expect(queue.get()).toEqual([])
})

test('the speed is measured over the last few seconds', async () => {
  let time = 0
  const { queue, sendings } = open({ now: () => time })
  queue.add([fileOf('a')], HERE)
  await settle()
  const at = (ms: number, sent: number) => {
    time = ms
    sendings[0]?.options.onSent(sent)
    const state = queue.get()[0]?.state
    return state?.step === 'sending' ? state.speed : undefined
  }
  expect([at(0, 0), at(100, 100), at(1000, 2000), at(8000, 2100), at(9000, 2200)]).toEqual([
    null,
    null,
    2000,
    null,
    100,
  ])
})

test('a copy of the file is kept until its upload completes, and a reload resumes it', async () => {
  const copies = new Set<string>()
  const keeping: Partial<UploadSteps> = {
    keep: async ({ id }) => Boolean(copies.add(id)),
    drop: (id) => void copies.delete(id),
  }
  const { queue, sendings } = open(keeping)
  queue.add([fileOf('a'), fileOf('b')], HERE)
  await settle()
  expect(queue.get().map(({ kept }) => kept)).toEqual([true, true])
  sendings[0]?.arrive()
  await settle()
  expect(copies.size).toBe(1)

  const [left = ''] = copies
  const after = open(keeping)
  after.queue.restore([{ ...HERE, id: left, file: fileOf('b') }])
  after.queue.restore([{ ...HERE, id: left, file: fileOf('b') }])
  await settle()
  expect(after.steps()).toEqual(['sending'])
  after.queue.remove(left)
  expect(copies.size).toBe(0)
})
