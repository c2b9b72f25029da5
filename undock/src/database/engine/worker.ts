import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { extensions } from './extensions.ts'
import { Mailbox } from './mailbox.ts'
import type { FromWorker, Job, Opening, OpenOptions, Reply, ToWorker, WorkerOptions } from './messages.ts'
import { INITDB_PARAMETERS, START_SETTINGS } from './parameters.ts'
import { packSnapshot, SnapshotMemory, unpackSnapshot } from './snapshot-files.ts'

// The worker is a pipe: protocol bytes in, protocol bytes out. All decisions are made on the main side, so that
// nothing here can delay the next statement.

const port = parentPort
if (!port) throw new Error('worker.ts runs as a worker thread only')

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

// Of a setting that is named twice the last one holds.
const startParams = [
  ...PGlite.defaultStartParams,
  ...Object.entries(START_SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
]

// V8 compiles a WebAssembly function anew, optimized, once it has run for some 10 ms. Two dozen of Postgres' functions come
// to that before the first request is answered, while the start needs both cores; its interpreter alone takes half a
// second and 600 MB. With this budget it is done for those that a database keeps busy, and not at all in one that ends
// with the process: a third of its time on large answers is the price, a third of its start and half its memory the gain.
const { isBrief, program } = workerData as WorkerOptions
const FLAGS = isBrief
  ? ['--liftoff-only', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering']
  : ['--no-liftoff-only', '--wasm-tier-up', '--wasm-dynamic-tiering', '--wasm-tiering-budget=100000000']
for (const flag of FLAGS) setFlagsFromString(flag)

const require = createRequire(import.meta.url)
const compiling =
  program ??
  readFile(join(dirname(require.resolve('@electric-sql/pglite')), 'pglite.wasm')).then((bytes) =>
    WebAssembly.compile(bytes),
  )

/** The engine as a pipe. It parses no result here, so it need not ask for the array types at each start. */
class Pipe extends PGlite {
  override async _initArrayTypes(): Promise<void> {}
}

async function open({ folder, snapshot }: OpenOptions): Promise<PGlite> {
  const tar = snapshot && (await readFile(snapshot))
  if (tar && folder) unpackSnapshot(tar, folder)
  const pipe = new Pipe({
    ...(folder ? { dataDir: folder } : {}),
    ...(tar && !folder ? { fs: new SnapshotMemory(tar) } : {}),
    extensions,
    pgliteWasmModule: await compiling,
    initDbStartParams: INITDB_PARAMETERS,
    startParams,
  })
  await pipe.waitReady
  // Where its output goes is kept from here on; an exchange of no bytes asks for nothing.
  await pipe.execProtocolRawStream(new Uint8Array(), { syncToFs: false, onRawData: response.add })
  response.take()
  return pipe
}

/** Collects what the engine sends. Left to itself PGlite would parse every response here, only to throw the result away:
 *  a fifth of this thread's time. */
class Response {
  #bytes = new Uint8Array(USUAL_RESPONSE)
  #length = 0

  readonly add = (part: Uint8Array): void => {
    const length = this.#length + part.length
    if (length > this.#bytes.length) {
      const grown = new Uint8Array(2 * length)
      grown.set(this.#bytes.subarray(0, this.#length))
      this.#bytes = grown
    }
    this.#bytes.set(part, this.#length)
    this.#length = length
  }

  /** All since the last time, as a copy that can leave the thread. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = this.#bytes.slice(0, this.#length)
    this.#length = 0
    if (this.#bytes.length > LARGE_RESPONSE) this.#bytes = new Uint8Array(USUAL_RESPONSE)
    return taken
  }
}

/** Bytes. */
const USUAL_RESPONSE = 64 * 1024
const LARGE_RESPONSE = 4 * 1024 * 1024

const response = new Response()

function exchange(database: PGlite, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  database.execProtocolRawSync(bytes)
  return response.take()
}

async function answer(database: PGlite, job: Exclude<Job, { kind: 'exchange' }>): Promise<Reply> {
  if (job.kind === 'dump') {
    packSnapshot(database, job.path)
  } else await database.close()
  return { kind: 'done', bytes: new Uint8Array() }
}

function send(replies: Reply[]): void {
  const buffers = replies.flatMap((reply) => (reply.kind === 'done' ? [reply.bytes.buffer as ArrayBuffer] : []))
  port?.postMessage({ kind: 'replies', replies } satisfies FromWorker, buffers)
}

/** Milliseconds that a finished job's reply may wait for those behind it. */
const PATIENCE = 1

async function work(database: PGlite, { jobs, staysAwake }: ToWorker, mailbox: Mailbox): Promise<void> {
  let replies: Reply[] = []
  let since = performance.now()
  for (const job of jobs) {
    mailbox.begin()
    try {
      replies.push(job.kind === 'exchange' ? done(exchange(database, job.bytes)) : await answer(database, job))
    } catch (error) {
      replies.push({ kind: 'failed', message: textOf(error) })
    }
    if (performance.now() - since > PATIENCE) {
      send(replies)
      replies = []
      since = performance.now()
    }
  }
  if (replies.length > 0) send(replies)
  if (staysAwake) serve(database, mailbox)
}

/** Those that come by the mailbox. One that fails outside of Postgres' own errors ends it. */
function serve(database: PGlite, mailbox: Mailbox): void {
  try {
    mailbox.serve(
      (bytes) => exchange(database, bytes),
      (bytes) => send([done(bytes)]),
    )
  } catch (error) {
    send([{ kind: 'failed', message: textOf(error) }])
  }
}

const done = (bytes: Uint8Array<ArrayBuffer>): Reply => ({ kind: 'done', bytes })

// The first message says what to open.
port.once('message', async ({ mailbox, ...options }: Opening) => {
  try {
    const database = await open(options)
    const shared = new Mailbox(mailbox)
    port.on('message', (given: ToWorker) => void work(database, given, shared))
    port.postMessage({ kind: 'ready', program: await compiling } satisfies FromWorker)
  } catch (error) {
    port.postMessage({ kind: 'unopened', message: textOf(error) } satisfies FromWorker)
  }
})
