import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SharedMemoryChannel } from './shared-memory-channel.ts'

/** Serves once for each message, and tells what it had to send otherwise and why it ended. A job is the number of milliseconds
 *  it takes and how many bytes the reply has, or nothing, which fails. */
const WORKER = `
import { parentPort, workerData } from 'node:worker_threads'
const { SharedMemoryChannel } = await import(workerData.module)
const channel = new SharedMemoryChannel(workerData.memory)
const work = (job) => {
  if (job.length === 0 || job[0] === 0xff) throw new Error('broken')
  const { busy, bytes, fill } = JSON.parse(Buffer.from(job).toString())
  for (const end = performance.now() + busy; performance.now() < end; );
  return new Uint8Array(bytes).fill(fill)
}
parentPort.on('message', () => {
  try {
    channel.serve(work, (reply) => parentPort.postMessage({ sent: reply.length }))
    parentPort.postMessage({ ended: 'idle' })
  } catch (error) {
    parentPort.postMessage({ ended: error.message })
  }
})
parentPort.postMessage({ ended: 'not begun' })
`

type Told = { readonly sent?: number; readonly ended?: string }

let channel: SharedMemoryChannel
let worker: Worker
let told: Told[]
/** How often the worker was told to serve. */
let begun: number

beforeEach(async () => {
  channel = new SharedMemoryChannel()
  told = []
  begun = 0
  const url = new URL(`data:text/javascript,${encodeURIComponent(WORKER)}`)
  worker = new Worker(url, {
    workerData: { memory: channel.memory, module: new URL('./shared-memory-channel.ts', import.meta.url).href },
  })
  worker.on('message', (message: Told) => told.push(message))
  await until((message) => message.ended === 'not begun')
})
afterEach(() => worker.terminate())

function serve(): void {
  begun += 1
  worker.postMessage('serve')
}

/** Why each of the times that it served came to an end, once all have. */
async function ends(): Promise<(string | undefined)[]> {
  const ended = (): (string | undefined)[] => told.flatMap((message) => (message.ended ? [message.ended] : [])).slice(1)
  await expect.poll(() => ended().length, { timeout: 10_000 }).toBe(begun)
  return ended()
}

const until = (holds: (message: Told) => boolean): Promise<unknown> =>
  expect.poll(() => told.some(holds), { timeout: 10_000 }).toBe(true)

const jobOf = (bytes: number, busy = 0, fill = 7): Uint8Array => Buffer.from(JSON.stringify({ busy, bytes, fill }))

/** Gives a job as soon as the worker watches, and waits for a reply that comes as a message.
 *  @returns the reply, or the length of one that came so. */
async function exchange(job: Uint8Array): Promise<Uint8Array | number> {
  const sentBefore = sent().length
  let asked = Number.NEGATIVE_INFINITY
  for (const end = performance.now() + 10_000; performance.now() < end; ) {
    const reply = channel.exchange(job)
    if (reply instanceof Uint8Array) return reply
    if (reply === 'later') {
      await expect.poll(() => sent().length, { timeout: 10_000, interval: 1 }).toBe(sentBefore + 1)
      return sent().at(-1) as number
    }
    if (performance.now() - asked > 20) {
      serve()
      asked = performance.now()
    }
  }
  throw new Error('The worker never watched')
}

const sent = (): number[] => told.flatMap((message) => (message.sent === undefined ? [] : [message.sent]))

test('consecutive jobs each get their own reply, without a message while both sides are awake', async () => {
  let here = 0
  for (let index = 0; index < 3_000; index++) {
    const reply = await exchange(jobOf(index % 300, 0, index % 251))
    // A machine busy with other things may keep the worker from one: that reply comes as a message.
    if (typeof reply === 'number') expect(reply).toBe(index % 300)
    else {
      here += 1
      expect([reply.length, reply.every((byte) => byte === index % 251)]).toEqual([index % 300, true])
    }
  }
  expect(here).toBeGreaterThan(100)
  expect(channel.begun).toBe(3_000)
})

test('a job is not accepted when nobody watches the memory, or when it does not fit', async () => {
  expect(channel.exchange(jobOf(1))).toBe('unseen')
  await exchange(jobOf(1))
  expect(channel.exchange(new Uint8Array(70_000))).toBe('unseen')
  await ends()
  expect(channel.exchange(jobOf(1))).toBe('unseen')
  expect(channel.begun).toBe(1)
})

test.each([
  ['that takes long', jobOf(5, 20), 5],
  ['whose reply has no room', jobOf(70_000), 70_000],
])('a job %s is answered by a message', async (_, job, length) => {
  expect(await exchange(job)).toBe(length)
})

test('a job that crashes the worker does not leave its caller waiting', async () => {
  const broken = exchange(new Uint8Array([0xff])).catch(() => undefined)
  await until(({ ended }) => ended === 'broken')
  serve()
  // In the place of the message that the engine's worker sends.
  told.push({ sent: 0 })
  await broken
  expect(await exchange(jobOf(2))).toSatisfy((reply) => reply === 2 || reply.length === 2)
})

test('work for a job is done only while it is the last that has begun', async () => {
  await exchange(jobOf(1))
  await exchange(jobOf(1))
  let done = 0
  const asked = [1, 2, 3].map((job) =>
    channel.whileRunning(job, () => {
      done += job
    }),
  )
  expect([asked, done]).toEqual([[false, true, false], 2])
})

test('a worker that gets a message stops watching the memory', async () => {
  await exchange(jobOf(1))
  channel.call()
  expect(await ends()).toContain('idle')
})
