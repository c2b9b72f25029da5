import './node/globals.ts'
import { createSerialQueue } from '../../src/kernel/promises.ts'
import clusterUrl from '../.cache/cluster.tar.gz?url'
import filesUrl from '../.cache/pglite.data.gz?url'
import programUrl from '../.cache/pglite.wasm.gz?url'
import { type Backend, openBackend } from './backend.ts'
import type { Call, FromWorker } from './messages.ts'

// One request at a time: the timeline takes what happens meanwhile for work of the current one.
const oneByOne = createSerialQueue()
const send = (message: FromWorker): void => postMessage(message)

const opening = open()
opening.then(
  ({ credentials }) => send({ kind: 'ready', credentials }),
  (error: unknown) => send({ kind: 'failed', message: textOf(error) }),
)

addEventListener('message', ({ data: { id, name, given } }: MessageEvent<Call>) => {
  oneByOne(async () => {
    try {
      const backend: Record<Call['name'], (...given: never[]) => Promise<unknown>> = await opening
      send({ kind: 'answer', id, value: await backend[name](...(given as never[])) })
    } catch (error) {
      send({ kind: 'refused', id, message: textOf(error) })
    }
  })
})

async function open(): Promise<Backend> {
  const [program, files, cluster] = await Promise.all([
    fetchUnpacked(programUrl, 'application/wasm').then((response) => WebAssembly.compileStreaming(response)),
    fetchUnpacked(filesUrl).then((response) => response.blob()),
    fetchUnpacked(clusterUrl).then((response) => response.blob()),
  ])
  send({ kind: 'progress', loaded: 0, step: 'starting' })
  return openBackend({ program, files, cluster })
}

/** Fetches a file that was compressed when the site was built, so that it is small whatever the server does. */
async function fetchUnpacked(url: string, type = 'application/octet-stream'): Promise<Response> {
  const response = await fetch(url)
  if (!response.ok || !response.body) throw new Error(`${url} is answered with ${response.status}`)
  const counted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(bytes, controller) {
      send({ kind: 'progress', loaded: bytes.length, step: 'loading' })
      controller.enqueue(bytes)
    },
  })
  const stream = response.body.pipeThrough(counted).pipeThrough(new DecompressionStream('gzip'))
  return new Response(stream, { headers: { 'content-type': type } })
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error && typeof error.code === 'string' ? `${error.code}: ${error.message}` : error.message
}
