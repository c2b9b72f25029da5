// Runs one function: sets up the globals of hosted functions, then imports the author's entrypoint.

import { AsyncLocalStorage } from 'node:async_hooks'
import { registerHooks } from 'node:module'
import process from 'node:process'
import { formatWithOptions } from 'node:util'

const collectGarbage = globalThis.gc
// Hosted functions do not have this global; it cannot be deleted.
globalThis.gc = undefined
const realServe = Deno.serve.bind(Deno)
const realFetch = globalThis.fetch
/** The request that the function answers: its id, and the header that requests to the API carry on. */
const requests = new AsyncLocalStorage()
const tell = (message) => self.postMessage(message)
const background = new Set()
const sessions = new Map()
let serving = false
/** Maximum number of characters of a stack trace in a header. */
const TRACE_LENGTH = 2_000

self.onmessage = ({ data }) => {
  switch (data.type) {
    case 'start':
      return start(data)
    case 'ping':
      return tell({ type: 'pong', processorTime: processorTime() })
    case 'weigh':
      return tell({ type: 'weighed', bytes: memory(data.limit) })
    case 'unload':
      return unload(data.reason)
    case 'embedded':
      return sessions.get(data.request)?.(data)
  }
}

for (const name of ['error', 'unhandledrejection']) {
  self.addEventListener(name, (event) => {
    // Reported here, where the function is known; Deno's own report would go to a stderr that all functions share.
    event.preventDefault()
    const error = event.error ?? event.reason ?? event.message
    tell({ type: 'crashed', error: error?.stack ?? String(error) })
  })
}

async function start({ entrypoint, variables, hidden }) {
  isolateEnvironment(variables, hidden)
  redirectConsole()
  globalThis.EdgeRuntime = { waitUntil }
  globalThis.Supabase = { ai: { Session } }
  Deno.serve = serve
  globalThis.fetch = fetch
  const asMain = await treatAsMain(entrypoint)
  try {
    const module = await import(entrypoint)
    if (!serving && typeof module.default?.fetch === 'function') serve(module.default)
    if (!serving) throw new Error(`${entrypoint} did not call Deno.serve(), nor does it export a default with fetch()`)
  } catch (error) {
    tell({ type: 'failed', error: error?.stack ?? String(error) })
  } finally {
    asMain?.deregister()
  }
}

/** A hosted function is the main module of its worker; here this file is. Code that tests `import.meta.main` is rewritten
 *  to the same number of characters, so that errors keep naming the author's positions. */
async function treatAsMain(entrypoint) {
  const question = /\bimport\.meta\.main\b/g
  const source = await Deno.readTextFile(new URL(entrypoint)).catch(() => '')
  if (!question.test(source)) return null
  return registerHooks({
    load(url, context, next) {
      const loaded = next(url, context)
      if (url !== entrypoint) return loaded
      return { ...loaded, source: String(loaded.source).replaceAll(question, (asked) => 'true'.padEnd(asked.length)) }
    },
  })
}

/** `Deno.serve` in all its forms, on a port that only the supervisor knows. The first call serves the function. */
function serve(...args) {
  const options = args.find((arg) => typeof arg === 'object' && arg !== null) ?? {}
  const handler = args.find((arg) => typeof arg === 'function') ?? options.handler ?? options.fetch?.bind(options)
  if (typeof handler !== 'function') throw new TypeError('A handler function must be provided')
  serving = true
  const { onError, signal, onListen } = options
  return realServe(
    {
      hostname: '127.0.0.1',
      port: 0,
      onError: onError ?? refuse,
      ...(signal && { signal }),
      onListen: (address) => {
        tell({ type: 'listening', port: address.port })
        onListen?.(address)
      },
    },
    (request, info) => {
      const { headers } = request
      const context = { id: headers.get('x-request-id'), traceparent: headers.get('traceparent') }
      return requests.run(context, () => handler(request, info))
    },
  )
}

/** Calls another server and reports the call, without its query. A call of the project's own API carries the trace on. */
async function fetch(input, init) {
  const context = requests.getStore()
  if (!context?.id) return realFetch(input, init)
  const { method, url, headers } = input instanceof Request ? input : { url: String(input) }
  const isOwn = url.startsWith(`${Deno.env.get('SUPABASE_URL')}/`)
  const began = Date.now()
  const started = performance.now()
  const report = (status, error) => {
    const call = {
      request: context.id,
      method: init?.method ?? method ?? 'GET',
      url: url.split(/[?#]/)[0],
      status,
      error,
    }
    tell({ type: 'called', ...call, began, duration: performance.now() - started })
  }
  try {
    const response = await realFetch(
      input,
      isOwn ? { ...init, headers: withTrace(init?.headers ?? headers, context) } : init,
    )
    // The API's own record of the call tells more.
    if (!isOwn) report(response.status, null)
    return response
  } catch (error) {
    report(null, error?.message ?? String(error))
    throw error
  }
}

function withTrace(given, { traceparent }) {
  const headers = new Headers(given)
  if (traceparent && !headers.has('traceparent')) headers.set('traceparent', traceparent)
  return headers
}

function refuse(error) {
  const trace = error?.stack ?? String(error)
  tell({ type: 'log', level: 'error', text: trace })
  const headers = { 'x-undock-trace': encodeURIComponent(trace.slice(0, TRACE_LENGTH)) }
  return new Response('Internal Server Error', { status: 500, headers })
}

/** Processor time of this worker's thread, in milliseconds. */
function processorTime() {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Live bytes on this worker's heap and in its buffers. Garbage is collected first when the total could exceed the
 *  limit, because V8 itself collects late. */
function memory(limit) {
  if (used() > limit / 2) collectGarbage()
  return used()
}

function used() {
  const { heapUsed, external } = Deno.memoryUsage()
  return heapUsed + external
}

/** Keeps the worker alive, after its answer, until the promise settles. */
function waitUntil(promise) {
  const settled = Promise.resolve(promise)
    .catch((error) => tell({ type: 'log', level: 'error', text: `EdgeRuntime.waitUntil: ${error?.stack ?? error}` }))
    .finally(() => background.delete(settled))
  background.add(settled)
  return promise
}

async function unload(reason) {
  const event = new Event('beforeunload')
  event.detail = { reason }
  try {
    globalThis.dispatchEvent(event)
    while (background.size > 0) await Promise.allSettled(background)
  } finally {
    tell({ type: 'unloaded' })
  }
}

/** All workers share the environment of the process. Each gets a view of its own that hides the variables that only the
 *  process needs, and keeps variables that a function sets to that function. */
function isolateEnvironment(variables, hidden) {
  const out = new Set(hidden)
  const values = new Map(Object.entries({ ...Deno.env.toObject(), ...variables }).filter(([name]) => !out.has(name)))
  Object.defineProperty(Deno, 'env', {
    value: {
      get: (name) => values.get(name),
      has: (name) => values.has(name),
      set: (name, value) => void values.set(name, String(value)),
      delete: (name) => void values.delete(name),
      toObject: () => Object.fromEntries(values),
    },
  })
  process.env = new Proxy(Object.create(null), {
    get: (_, name) => values.get(name),
    has: (_, name) => values.has(name),
    set: (_, name, value) => values.set(name, String(value)) && true,
    deleteProperty: (_, name) => values.delete(name) || true,
    ownKeys: () => [...values.keys()],
    getOwnPropertyDescriptor: (_, name) =>
      values.has(name) ? { value: values.get(name), enumerable: true, configurable: true, writable: true } : undefined,
  })
}

function redirectConsole() {
  const write =
    (level) =>
    (...args) =>
      tell({ type: 'log', level, text: formatWithOptions({ colors: false }, ...args) })
  Object.assign(console, {
    log: write('info'),
    info: write('info'),
    debug: write('debug'),
    dir: write('info'),
    warn: write('warn'),
    error: write('error'),
    trace: (...args) => write('info')(...args, new Error('trace').stack),
  })
}

let questions = 0

/** `new Supabase.ai.Session('gte-small').run(text)` returns a vector of 384 numbers. */
class Session {
  constructor(model) {
    if (model !== 'gte-small') {
      throw new Error(`Supabase.ai.Session: the model "${model}" is not available here; "gte-small" is`)
    }
    this.model = model
  }

  run(input, { mean_pool = true, normalize = true } = {}) {
    const request = ++questions
    return new Promise((resolve, reject) => {
      sessions.set(request, ({ output, error }) => {
        sessions.delete(request)
        if (error) reject(new Error(error))
        else resolve(output)
      })
      tell({ type: 'embed', request, model: this.model, input, mean_pool, normalize })
    })
  }
}
