import { parentPort, receiveMessageOnPort } from 'node:worker_threads'
import type { PGlite } from '@electric-sql/pglite'
import { pgDump } from '@electric-sql/pglite-tools/pg_dump'
import { encodeMessage } from '../../database/protocol/frames.ts'
import type { PgDumpJob } from './pg-dump.ts'

// pg_dump waits for each response synchronously: this thread sleeps until the main thread has fetched it.

parentPort?.once('message', async ({ args, serverVersion, port, lock }: PgDumpJob) => {
  const ask = (bytes: Uint8Array): Uint8Array => {
    Atomics.store(lock, 0, 0)
    port.postMessage(bytes)
    Atomics.wait(lock, 0, 0)
    const { message } = receiveMessageOnPort(port as never) as { message: Uint8Array | string }
    if (typeof message === 'string') throw new Error(message)
    return message
  }
  /** The parts of PGlite's interface that pg_dump uses. */
  const engine = {
    execProtocolRawStream(bytes: Uint8Array, { onRawData }: { onRawData(bytes: Uint8Array): void }) {
      const copy = bytes.slice()
      if (isStartup(copy)) onRawData(greeting(serverVersion))
      else if (endsExchange(copy)) onRawData(ask(copy))
    },
    query: async () => ({ rows: [{ search_path: '' }] }),
    exec: async () => [],
  }
  try {
    const file = await pgDump({ pg: engine as unknown as PGlite, args: [...args] })
    parentPort?.postMessage({ kind: 'done', text: await file.text() })
  } catch (error) {
    parentPort?.postMessage({ kind: 'failed', message: error instanceof Error ? error.message : String(error) })
  }
})

const PROTOCOL_3 = 196_608

/** The startup message, the only one without a type byte; the session has already completed its startup. */
const isStartup = (bytes: Uint8Array): boolean =>
  bytes.length >= 8 && (new DataView(bytes.buffer).getUint32(4) & 0xffff_0000) === PROTOCOL_3

/** Sync and Query get a response, Terminate doesn't. */
const endsExchange = (bytes: Uint8Array): boolean => bytes[0] !== 'X'.charCodeAt(0)

const parameter = (name: string, value: string) => encodeMessage('S', name, value)

/** The greeting of a server that needs no password. */
const greeting = (serverVersion: string): Buffer =>
  Buffer.concat([
    encodeMessage('R', Buffer.alloc(4)),
    parameter('server_version', serverVersion),
    parameter('server_encoding', 'UTF8'),
    parameter('client_encoding', 'UTF8'),
    parameter('standard_conforming_strings', 'on'),
    encodeMessage('Z', Buffer.from('I')),
  ])
