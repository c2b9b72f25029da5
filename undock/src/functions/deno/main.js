// The only program that Deno is started with. It gives each function a worker and passes messages between workers and
// supervisor: one JSON text per line after a record separator (RFC 7464). Other output on stdout comes from functions.

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const workers = new Map()
/** Bytes that each worker may use. */
const limits = new Map()
let embedder = null
/** Milliseconds without a request after which the model's memory is released. */
const EMBEDDER_IDLE = 300_000

const tell = (message) => Deno.stdout.writeSync(encoder.encode(`\u001e${JSON.stringify(message)}\n`))

function start({ id, name, entrypoint, variables, hidden, memory }) {
  const worker = new Worker(new URL('./worker.js', import.meta.url), {
    type: 'module',
    name,
    // A worker may read files (npm packages do) and write temporary files. It may not run programs or load native code,
    // because these would escape the worker's limits.
    deno: {
      permissions: {
        net: true,
        env: true,
        read: true,
        sys: true,
        import: true,
        write: writable(),
        run: false,
        ffi: false,
      },
    },
  })
  workers.set(id, worker)
  limits.set(id, memory)
  worker.onmessage = ({ data }) => {
    if (data.type === 'weighed') weigh(id, data.bytes)
    else if (data.type === 'unloaded') stop(id)
    else if (data.type === 'crashed') crash(id, data.error)
    else if (data.type === 'embed') embed(worker, data)
    else tell({ ...data, id })
  }
  worker.onerror = (event) => {
    // Unhandled, this error would end the whole process and thereby all other functions.
    event.preventDefault()
    crash(id, event.error?.stack ?? event.message)
  }
  worker.postMessage({ type: 'start', entrypoint, variables, hidden })
}

function crash(id, error) {
  const worker = workers.get(id)
  if (!workers.delete(id)) return
  limits.delete(id)
  worker.terminate()
  tell({ type: 'crashed', id, error })
}

function stop(id) {
  const worker = workers.get(id)
  if (!workers.delete(id)) return
  limits.delete(id)
  // This ends a worker even in an endless loop.
  worker.terminate()
  tell({ type: 'stopped', id })
}

/** Milliseconds between two checks of the process's memory. */
const LOOK = 200
/** Bytes that the process may grow before the workers are asked how much memory they hold. */
const GROWTH = 64 * 1024 * 1024
/** The factor by which an unresponsive worker may exceed its limit: V8 collects garbage late when memory is plentiful. */
const GARBAGE = 3
/** Workers that were asked and have not answered yet. */
const asked = new Set()
let calm = Deno.memoryUsage().rss

/** V8 ends the whole process when one of its heaps is full, so a worker must be ended before that. A worker that allocates
 *  in a loop answers no question; when the process grows meanwhile, the unresponsive workers are taken for the cause. */
setInterval(() => {
  const grown = Deno.memoryUsage().rss - calm
  for (const id of asked) if (!workers.has(id)) asked.delete(id)
  if (asked.size > 0) {
    for (const id of asked) if (grown > limits.get(id) * GARBAGE) exhaust(id)
  } else if (grown > GROWTH) {
    for (const [id, worker] of workers) {
      asked.add(id)
      worker.postMessage({ type: 'weigh', limit: limits.get(id) })
    }
    if (asked.size === 0) calm += grown
  } else if (grown < 0) {
    calm += grown
  }
}, LOOK)

function weigh(id, bytes) {
  if (!asked.delete(id)) return
  if (bytes > limits.get(id)) exhaust(id)
  if (asked.size === 0) calm = Deno.memoryUsage().rss
}

function exhaust(id) {
  asked.delete(id)
  const worker = workers.get(id)
  if (!workers.delete(id)) return
  worker.terminate()
  limits.delete(id)
  tell({ type: 'exhausted', id })
}

const writable = () => [Deno.env.get('TMPDIR') ?? Deno.env.get('TEMP') ?? '/tmp']

/** The embedding model is loaded once for all functions, in a worker with the permissions that its native code needs. */
function embed(asking, { request, ...question }) {
  const answer = (data) => asking.postMessage({ type: 'embedded', request, ...data })
  if (!embedder) {
    embedder = {
      worker: new Worker(new URL('./embedder.js', import.meta.url), { type: 'module', name: 'embedder' }),
      waiting: new Map(),
      last: 0,
    }
    embedder.worker.onmessage = ({ data: { number, ...data } }) => {
      embedder.waiting.get(number)?.(data)
      embedder.waiting.delete(number)
      if (embedder.waiting.size === 0) embedder.idle = setTimeout(endEmbedder, EMBEDDER_IDLE)
    }
    embedder.worker.onerror = (event) => {
      event.preventDefault()
      for (const one of embedder.waiting.values()) one({ error: event.message })
      embedder = null
    }
  }
  clearTimeout(embedder.idle)
  const number = ++embedder.last
  embedder.waiting.set(number, answer)
  embedder.worker.postMessage({ number, ...question })
}

function endEmbedder() {
  embedder?.worker.terminate()
  embedder = null
}

function receive(message) {
  const worker = workers.get(message.id)
  switch (message.type) {
    case 'start':
      return start(message)
    case 'ping':
      return worker?.postMessage({ type: 'ping' })
    case 'unload':
      return worker?.postMessage({ type: 'unload', reason: message.reason })
    case 'kill':
      return stop(message.id)
  }
}

tell({ type: 'ready' })
let text = ''
for await (const bytes of Deno.stdin.readable) {
  text += decoder.decode(bytes, { stream: true })
  const lines = text.split('\n')
  text = lines.pop() ?? ''
  for (const line of lines) receive(JSON.parse(line))
}
// The supervisor is gone, so there is nothing left to serve.
Deno.exit(0)
