import { MessageChannel, Worker } from 'node:worker_threads'
import { openServerSession } from '../server/server-session.ts'

/** What the program asks for, and where its thread sleeps until it has the answer. */
export type PgDumpJob = { readonly args: readonly string[]; readonly port: MessagePort; readonly lock: Int32Array }

type Outcome = { readonly kind: 'done'; readonly text: string } | { readonly kind: 'failed'; readonly message: string }

/** Runs pg_dump, compiled to WebAssembly, on a database that is anywhere. The program reads and writes its connection
 *  without pause: so it has a thread to itself, which sleeps while the bytes travel here.
 *  @param args As of the program, without connection and output. Data always comes as INSERT.
 *  @throws {Error} with what pg_dump says. */
export async function pgDump(url: string, args: readonly string[]): Promise<string> {
  const session = await openServerSession(url, { statement_timeout: '0' })
  const { port1, port2 } = new MessageChannel()
  const lock = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(new URL(WORKER, import.meta.url))
  try {
    port1.on('message', async (bytes: Uint8Array) => {
      const answer = await session.exchange(bytes).catch((error: Error) => error)
      port1.postMessage(answer instanceof Error ? answer.message : Uint8Array.from(answer))
      Atomics.store(lock, 0, 1)
      Atomics.notify(lock, 0)
    })
    const outcome = await new Promise<Outcome>((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
      worker.postMessage({ args, port: port2, lock }, [port2])
    })
    if (outcome.kind === 'failed') throw new Error(outcome.message)
    return outcome.text
  } finally {
    port1.close()
    await Promise.all([worker.terminate(), session.close()])
  }
}

/** In the repository Node runs the sources; published, all of them are JavaScript. */
const WORKER = import.meta.url.endsWith('.ts') ? './pg-dump-worker.ts' : './pg-dump-worker.js'
