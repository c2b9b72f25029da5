// The one program that Deno is started with: gives every function a worker of its own and passes messages between it
// and the supervisor, one JSON text a line behind a record separator (RFC 7464); all else on stdout is a function's own.

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const workers = new Map()
let embedder = null
/** The model's memory is given back when nobody asked for so long, in milliseconds. */
const EMBEDDER_IDLE = 300_000

const tell = (message) => Deno.stdout.writeSync(encoder.encode(`\u001e${JSON.stringify(message)}\n`))

function start({ id, name, entrypoint, variables, hidden }) {
  const worker = new Worker(new URL('./worker.js', import.meta.url), {
    type: 'module',
    name,
    // Files may be read (npm packages read their own) and written where temporary things go; no other programs,
    // no native code: they would escape the worker.
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
  worker.onmessage = ({ data }) => {
    if (data.type === 'unloaded') stop(id)
    else if (data.type === 'crashed') crash(id, data.error)
    else if (data.type === 'embed') embed(worker, data)
    else tell({ ...data, id })
  }
  worker.onerror = (event) => {
    // Without this the error would end the whole process, and with it every other function.
    event.preventDefault()
    crash(id, event.error?.stack ?? event.message)
  }
  worker.postMessage({ type: 'start', entrypoint, variables, hidden })
}

function crash(id, error) {
  const worker = workers.get(id)
  if (!workers.delete(id)) return
  worker.terminate()
  tell({ type: 'crashed', id, error })
}

function stop(id) {
  const worker = workers.get(id)
  if (!workers.delete(id)) return
  // Reaches an endless loop too.
  worker.terminate()
  tell({ type: 'stopped', id })
}

const writable = () => [Deno.env.get('TMPDIR') ?? Deno.env.get('TEMP') ?? '/tmp']

/** The embedding model is loaded once for all functions, in a worker that may do what its native code needs. */
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
// The supervisor is gone: nobody is left to serve.
Deno.exit(0)
