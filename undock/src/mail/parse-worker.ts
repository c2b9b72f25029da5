import { parentPort } from 'node:worker_threads'
import { parseHere } from './message.ts'

parentPort?.once('message', async (raw: Uint8Array) => {
  parentPort?.postMessage(await parseHere(raw))
})
