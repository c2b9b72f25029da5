import { parentPort, receiveMessageOnPort } from 'node:worker_threads'
import type { PGlite } from '@electric-sql/pglite'
import { pgDump } from '@electric-sql/pglite-tools/pg_dump'
import { encodeMessage } from '../wire/frontend.ts'
import type { PgDumpJob } from './pg-dump.ts'

// pg_dump waits for each answer in the middle of a call: this thread sleeps until the main one has fetched it.

parentPort?.once('message', async ({ args, port, lock }: PgDumpJob) => {
  const ask = (bytes: Uint8Array): Uint8Array => {
    Atomics.store(lock, 0, 0)
    port.postMessage(bytes)
    Atomics.wait(lock, 0, 0)
    const { message } = receiveMessageOnPort(port as never) as { message: Uint8Array | string }
    if (typeof message === 'string') throw new Error(message)
    return message
  }
  /** What of the engine's object pg_dump uses. */
  const engine = {
    execProtocolRawStream(bytes: Uint8Array, { onRawData }: { onRawData(bytes: Uint8Array): void }) {
      const copy = bytes.slice()
      if (isStartup(copy)) onRawData(GREETING)
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

/** The one message without a type byte. The session behind has been through it. */
const isStartup = (bytes: Uint8Array): boolean =>
  bytes.length >= 8 && (new DataView(bytes.buffer).getUint32(4) & 0xffff_0000) === PROTOCOL_3

/** Sync and Query are answered; Terminate is not. */
const endsExchange = (bytes: Uint8Array): boolean => bytes[0] !== 'X'.charCodeAt(0)

const parameter = (name: string, value: string) => encodeMessage('S', name, value)

/** As a server greets that trusts. The program asks for the version again itself. */
const GREETING = Buffer.concat([
  encodeMessage('R', Buffer.alloc(4)),
  parameter('server_version', '18.0'),
  parameter('server_encoding', 'UTF8'),
  parameter('client_encoding', 'UTF8'),
  parameter('standard_conforming_strings', 'on'),
  encodeMessage('Z', Buffer.from('I')),
])
