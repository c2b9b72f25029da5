import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { extensionsWith } from './extensions.ts'
import { INITDB_PARAMETERS, START_SETTINGS } from './one-session.ts'

export type OpenOptions = {
  readonly folder: string | null
  /** Tar of a data directory to start from; only for a new folder, or in memory. */
  readonly snapshot: string | null
  /** Whether PostGIS is available. */
  readonly hasPostgis: boolean
}

/** @property modules The `node_modules` that PGlite was fetched to; null if it's installed. */
export type WorkerOptions = OpenOptions & { readonly modules: string | null }

export type Job =
  | { readonly kind: 'exchange'; readonly bytes: Uint8Array }
  | { readonly kind: 'dump'; readonly path: string }
  | { readonly kind: 'close' }

export type Reply =
  | { readonly kind: 'done'; readonly bytes: Uint8Array }
  | { readonly kind: 'failed'; readonly message: string }

// The worker only exchanges protocol bytes. The main thread makes all decisions.

const port = parentPort
if (!port) throw new Error('worker.ts runs as a worker thread only')

async function open(): Promise<PGlite> {
  const { folder, snapshot, hasPostgis } = workerData as WorkerOptions
  // Closed to other users of the machine.
  if (folder) await mkdir(folder, { recursive: true, mode: 0o700 })
  return PGlite.create({
    ...(folder ? { dataDir: folder } : {}),
    ...(snapshot ? { loadDataDir: new Blob([await readFile(snapshot)]) } : {}),
    extensions: extensionsWith(hasPostgis),
    initDbStartParams: INITDB_PARAMETERS,
    // The last value of a repeated setting wins.
    startParams: [
      ...PGlite.defaultStartParams,
      ...Object.entries(START_SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
  })
}

async function run(database: PGlite, job: Job): Promise<Uint8Array> {
  if (job.kind === 'exchange') return database.execProtocolRaw(job.bytes, { syncToFs: false })
  if (job.kind === 'dump')
    await writeFile(job.path, Buffer.from(await (await database.dumpDataDir('none')).arrayBuffer()))
  else await database.close()
  return new Uint8Array()
}

const send = async (work: () => Promise<Uint8Array>): Promise<void> => {
  try {
    port.postMessage({ kind: 'done', bytes: await work() } satisfies Reply)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    port.postMessage({ kind: 'failed', message } satisfies Reply)
  }
}

await send(async () => {
  const database = await open()
  port.on('message', (job: Job) => void send(() => run(database, job)))
  return new Uint8Array()
})
