import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { AuthenticatedUser } from './authenticated-user.ts'
import { extensions } from './extensions.ts'
import { JobCounter } from './job-counter.ts'
import type { Job, JobsMessage, OpenMessage, OpenOptions, Reply, WorkerMessage, WorkerOptions } from './messages.ts'
import { requirePglite } from './packages.ts'
import { INITDB_PARAMETERS, START_SETTINGS } from './parameters.ts'
import { declareShared, shareEngineMemory } from './shared-program.ts'
import { unpackSnapshot } from './snapshot-files.ts'
import { packSnapshot, SnapshotMemory } from './snapshot-memory.ts'
import { clearInterrupt, findInterruptPlaces } from './statement-interrupts.ts'

// The worker takes protocol bytes and returns protocol bytes. All decisions are made in the main thread, so that nothing here
// delays the next statement.

const port = parentPort
if (!port) throw new Error('worker.ts runs as a worker thread only')

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

// If a setting is given twice, the last value holds.
const START_PARAMS = [
  ...PGlite.defaultStartParams,
  ...Object.entries(START_SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
]

// V8 recompiles a WebAssembly function with its optimizing compiler after the function has run for about 10 ms. Two dozen of
// Postgres' functions reach that before the first request is answered, while the start needs both cores; Postgres' expression
// interpreter alone takes half a second and 600 MB. With this budget only the functions of a busy database are optimized.
// In a short-lived engine none are: large responses take a third longer, but the start is a third shorter and the memory half.
const { isShortLived, program } = workerData as WorkerOptions
const FLAGS = isShortLived
  ? ['--liftoff-only', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering']
  : ['--no-liftoff-only', '--wasm-tier-up', '--wasm-dynamic-tiering', '--wasm-tiering-budget=100000000']
for (const flag of FLAGS) setFlagsFromString(flag)

const compiling =
  program ??
  readFile(join(dirname(requirePglite().resolve('@electric-sql/pglite')), 'pglite.wasm')).then((bytes) =>
    WebAssembly.compile(declareShared(bytes)),
  )
shareEngineMemory()

/** PGlite without its parsers: it parses no results here, so it need not look up array types at each start. */
class RawEngine extends PGlite {
  override async _initArrayTypes(): Promise<void> {}
}

async function open({ folder, snapshot }: OpenOptions): Promise<PGlite> {
  const tar = snapshot && (await readFile(snapshot))
  if (tar && folder) unpackSnapshot(tar, folder)
  const engine = new RawEngine({
    ...(folder ? { dataDir: folder } : {}),
    ...(tar && !folder ? { fs: new SnapshotMemory(tar) } : {}),
    extensions,
    pgliteWasmModule: await compiling,
    initDbStartParams: INITDB_PARAMETERS,
    startParams: START_PARAMS,
  })
  await engine.waitReady
  // PGlite keeps this output handler from here on; the exchange itself is empty.
  await engine.execProtocolRawStream(new Uint8Array(), { syncToFs: false, onRawData: response.add })
  response.take()
  return engine
}

/** Collects the engine's output. By default PGlite would parse every response here, which takes a fifth of this thread's time, and
 *  discard the result. */
class ResponseBuffer {
  #bytes = new Uint8Array(INITIAL_RESPONSE_SIZE)
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

  /** Returns everything since the last call, as a copy that can be transferred. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = this.#bytes.slice(0, this.#length)
    this.#length = 0
    if (this.#bytes.length > MAX_KEPT_RESPONSE_SIZE) this.#bytes = new Uint8Array(INITIAL_RESPONSE_SIZE)
    return taken
  }
}

/** The size in bytes that the buffer begins with, and the largest that it keeps. */
const INITIAL_RESPONSE_SIZE = 64 * 1024
const MAX_KEPT_RESPONSE_SIZE = 4 * 1024 * 1024

const response = new ResponseBuffer()

function exchange(database: PGlite, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  database.execProtocolRawSync(bytes)
  return response.take()
}

let authenticated: AuthenticatedUser | null = null

/** @throws {Error} when the session cannot be authenticated as that user; the exchange must not run as another. */
function exchangeAs(database: PGlite, bytes: Uint8Array, user: number): Uint8Array<ArrayBuffer> {
  if (!authenticated) throw new Error('The session cannot be authenticated as another user')
  return authenticated.during(user, () => exchange(database, bytes))
}

async function runOtherJob(database: PGlite, job: Exclude<Job, { kind: 'exchange' }>): Promise<Reply> {
  if (job.kind === 'dump') {
    packSnapshot(database, job.path)
  } else await database.close()
  return { kind: 'done', bytes: new Uint8Array() }
}

function send(replies: Reply[]): void {
  const buffers = replies.flatMap((reply) => (reply.kind === 'done' ? [reply.bytes.buffer as ArrayBuffer] : []))
  port?.postMessage({ kind: 'replies', replies } satisfies WorkerMessage, buffers)
}

/** Milliseconds that the reply of a finished job may wait for the replies after it. */
const MAX_REPLY_DELAY = 1

async function runJobs(database: PGlite, { jobs }: JobsMessage, begin: () => void): Promise<void> {
  let replies: Reply[] = []
  let since = performance.now()
  for (const job of jobs) {
    begin()
    try {
      if (job.kind !== 'exchange') replies.push(await runOtherJob(database, job))
      else if (job.user === undefined) replies.push(done(exchange(database, job.bytes)))
      else replies.push(done(exchangeAs(database, job.bytes, job.user)))
    } catch (error) {
      replies.push({ kind: 'failed', message: textOf(error) })
    }
    if (performance.now() - since > MAX_REPLY_DELAY) {
      send(replies)
      replies = []
      since = performance.now()
    }
  }
  if (replies.length > 0) send(replies)
}

/** Encodes a simple Query, so that the worker needs no library for the protocol. */
function encodeQuery(text: string): Uint8Array {
  const message = Buffer.alloc(text.length + 6)
  message.write('Q')
  message.writeUInt32BE(text.length + 5, 1)
  message.write(text, 5)
  return message
}

const done = (bytes: Uint8Array<ArrayBuffer>): Reply => ({ kind: 'done', bytes })

// The first message tells which cluster to open.
port.once('message', async ({ begun, ...options }: OpenMessage) => {
  try {
    const database = await open(options)
    const run = (script: string) => exchange(database, encodeQuery(script))
    authenticated = AuthenticatedUser.find(database, run)
    const canAuthenticate = authenticated !== null
    const interruptPlaces = findInterruptPlaces(database, run)
    const counter = new JobCounter(begun)
    const begin = () => counter.begin(() => interruptPlaces && clearInterrupt(interruptPlaces))
    port.on('message', (given: JobsMessage) => void runJobs(database, given, begin))
    const ready: WorkerMessage = { kind: 'ready', program: await compiling, canAuthenticate, interruptPlaces }
    port.postMessage(ready)
  } catch (error) {
    port.postMessage({ kind: 'unopened', message: textOf(error) } satisfies WorkerMessage)
  }
})
