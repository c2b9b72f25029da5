import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { extensions } from './extensions.ts'
import type { FromWorker, OpenOptions, ToWorker } from './messages.ts'

// The worker is a pipe: protocol bytes in, protocol bytes out. All decisions are made on the main side, so that
// nothing here can delay the next statement.

const port = parentPort
if (!port) throw new Error('worker.ts runs as a worker thread only')

const reply = (message: FromWorker, transfer: ArrayBuffer[] = []): void => port.postMessage(message, transfer)
const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

// A single-user engine applies no `alter role … set`: the session's search path has to come with the start.
const startParams = PGlite.defaultStartParams.map((word) =>
  word.startsWith('search_path=') ? 'search_path="$user", public, extensions' : word,
)

function open({ folder, snapshot }: OpenOptions): Promise<PGlite> {
  return PGlite.create({
    ...(folder ? { dataDir: folder } : {}),
    ...(snapshot ? { loadDataDir: new Blob([snapshot as Uint8Array<ArrayBuffer>]) } : {}),
    extensions,
    startParams,
  })
}

async function answer(database: PGlite, message: ToWorker): Promise<void> {
  switch (message.kind) {
    case 'exchange': {
      // The engine reuses its output buffer: what leaves the thread must be a copy of its own.
      const bytes = database.execProtocolRawSync(message.bytes).slice()
      return reply({ kind: 'done', bytes }, [bytes.buffer])
    }
    case 'dump': {
      const bytes = new Uint8Array(await (await database.dumpDataDir('none')).arrayBuffer())
      return reply({ kind: 'done', bytes }, [bytes.buffer])
    }
    case 'close': {
      await database.close()
      reply({ kind: 'done', bytes: new Uint8Array() })
      return port?.close()
    }
  }
}

try {
  const database = await open(workerData as OpenOptions)
  port.on('message', (message: ToWorker) => {
    answer(database, message).catch((error: unknown) => reply({ kind: 'failed', message: textOf(error) }))
  })
  reply({ kind: 'ready' })
} catch (error) {
  reply({ kind: 'unopened', message: textOf(error) })
}
