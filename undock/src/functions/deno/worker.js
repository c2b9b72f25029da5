// Runs before a function's main module, in its process, and gives it the globals of hosted functions. Messages to the
// supervisor are lines of JSON after a record separator; other output is the function's.

import { AsyncLocalStorage } from 'node:async_hooks'
import fs from 'node:fs'
import http from 'node:http'
import Module, { registerHooks } from 'node:module'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { formatWithOptions, promisify } from 'node:util'

/** The project's variables, the temporary folder, the readable folders, and the import map's npm packages. */
const { variables, temporary, readable, packages } = readInput()
const collectGarbage = globalThis.gc
const realServe = Deno.serve.bind(Deno)
const { fetch: realFetch, Response: RealResponse } = globalThis
const realListen = http.Server.prototype.listen
const exit = Deno.exit.bind(Deno)
const { memoryUsage, stdin } = Deno
const statSync = Deno.statSync.bind(Deno)
const writeSync = Deno.stdout.writeSync.bind(Deno.stdout)
const encoder = new TextEncoder()
/** The request being answered: its id, and the trace header for its API calls. */
const requests = new AsyncLocalStorage()
const background = new Set()
const sessions = new Map()
/** Open servers. */
let servers = 0
let isBooted = false
let isReceiving = false
/** Maximum characters of a stack trace in a header. */
const TRACE_LENGTH = 2_000
/** File functions whose second argument is a path as well. */
const WITH_TWO_PATHS = /^(?:copyFile|cp|link|rename|symlink)(?:Sync)?$/
/** URLs of code, which may also be outside of the project. Its methods can't be replaced by a function. */
const { exec, test } = RegExp.prototype
const FILE = Object.assign(/^file:/, { exec, test })
const CODE = Object.assign(/^(?:file:[^?#]*\.(?:[cm]?[jt]sx?|wasm)(?:[?#]|$)|(?!file:))/, { exec, test })
/** Milliseconds between checks that the supervisor is alive. */
const LOOK = 2_000

function tell(message) {
  let bytes = encoder.encode(`\u001e${JSON.stringify(message)}\n`)
  while (bytes.length > 0) bytes = bytes.subarray(writeSync(bytes))
}

const supervisor = Deno.ppid

globalThis.addEventListener('load', async () => {
  isBooted = true
  // Ends this process if the supervisor was killed. Not earlier: the timer would keep Deno from noticing a top-level
  // await that never ends.
  Deno.unrefTimer(setInterval(() => Deno.ppid !== supervisor && exit(0), LOOK))
  for (const [name, ofNode] of [
    ['error', 'uncaughtException'],
    ['unhandledrejection', 'unhandledRejection'],
  ]) {
    // Registered after the function's own listeners, which may have handled the event.
    globalThis.addEventListener(name, (event) => {
      if (event.defaultPrevented || process.listenerCount(ofNode) > 0) return
      event.preventDefault()
      const error = event.error ?? event.reason ?? event.message
      tell({ type: 'crashed', error: error?.stack ?? String(error) })
    })
  }
  if (servers > 0) return
  const module = await import(Deno.mainModule)
  const handler = [module.default, module.default?.default].find((one) => typeof one?.fetch === 'function')
  if (handler && servers === 0) Deno.serve(handler)
})

isolateEnvironment()
replaceFiles()
redirectConsole()
globalThis.EdgeRuntime = { waitUntil }
globalThis.Supabase = { ai: { Session: makeSession() } }
globalThis.fetch = fetch
Deno.serve = serve
http.Server.prototype.listen = listen
globalThis.gc = undefined
for (const name of ['Worker', 'localStorage', 'sessionStorage', 'alert', 'confirm', 'prompt', 'close']) {
  delete globalThis[name]
}
// Hosted functions can call these without effect.
for (const name of ['exit', 'kill', 'addSignalListener', 'removeSignalListener']) Deno[name] = () => {}
for (const name of ['exit', 'reallyExit', 'abort', 'kill']) process[name] = () => {}
Object.defineProperty(Deno, 'stdin', {
  value: { readable: new Blob().stream(), read: async () => null, readSync: () => null, isTerminal: () => false },
})

/** Reads the supervisor's messages. Started with the first server, because a pending read would keep a function without
 *  one from ending. */
async function receive() {
  if (isReceiving) return
  isReceiving = true
  let rest = ''
  for await (const text of stdin.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n')
    rest = lines.pop()
    for (const line of lines) obey(JSON.parse(line))
  }
  exit(0)
}

/** Waits for what the supervisor writes first. */
function readInput() {
  const bytes = new Uint8Array(Number(Deno.env.get('UNDOCK_INPUT_SIZE')))
  for (let at = 0; at < bytes.length; ) at += Deno.stdin.readSync(bytes.subarray(at)) ?? Deno.exit(0)
  return JSON.parse(new TextDecoder().decode(bytes))
}

function obey(order) {
  switch (order.type) {
    case 'ping':
      return tell({ type: 'pong', processorTime: processorTime() })
    case 'weigh':
      return tell({ type: 'weighed', bytes: memory(order.limit) })
    case 'unload':
      return unload(order.reason)
    case 'embedded':
      return sessions.get(order.number)?.(order)
  }
}

/** @param port The port that now accepts requests. */
function opened(port) {
  servers++
  tell({ type: 'listening', port })
  void receive()
}

function closed() {
  servers--
  if (servers === 0) tell({ type: 'closed' })
}

/** Implements all forms of `Deno.serve` on a port only the supervisor knows. The first call serves the function. */
function serve(...args) {
  const options = args.find((arg) => typeof arg === 'object' && arg !== null) ?? {}
  const handler = args.find((arg) => typeof arg === 'function') ?? options.handler ?? options.fetch?.bind(options)
  if (typeof handler !== 'function') throw new TypeError('A handler function must be provided')
  const { onError, signal, onListen } = options
  const server = realServe(
    {
      hostname: '127.0.0.1',
      port: 0,
      onError: onError ?? refuse,
      ...(signal && { signal }),
      onListen: (address) => {
        opened(address.port)
        onListen?.(address)
      },
    },
    (request, info) =>
      requests.run(
        contextOf((name) => request.headers.get(name)),
        async () => ownResponse(await handler(request, info)),
      ),
  )
  void server.finished.then(closed)
  return server
}

/** Copies a Response of a package (oak on npm, undici), which Deno refuses. */
function ownResponse(response) {
  if (response instanceof RealResponse || !response?.headers || typeof response.status !== 'number') return response
  tell({ type: 'log', level: 'warn', text: "The Response isn't the global class. Hosted functions refuse it." })
  return new RealResponse(response.body && ReadableStream.from(response.body), response)
}

/** A node:http server (Express, Fastify, …) also serves the function, whatever port it asks for. */
function listen(...args) {
  const { emit } = this
  this.emit = (event, request, ...rest) =>
    event === 'request' || event === 'upgrade'
      ? requests.run(
          contextOf((name) => request.headers[name] ?? null),
          () => emit.call(this, event, request, ...rest),
        )
      : emit.call(this, event, request, ...rest)
  this.once('listening', () => opened(this.address().port))
  this.once('close', closed)
  return realListen.call(
    this,
    { port: 0, host: '127.0.0.1' },
    args.findLast((arg) => typeof arg === 'function'),
  )
}

const contextOf = (header) => ({ id: header('x-request-id'), traceparent: header('traceparent') })

/** Makes a request and reports it without its query. Calls to the project's own API carry the trace. */
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
    // The API records its own calls in more detail.
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

/** Processor time of the function's thread, in milliseconds. */
function processorTime() {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Live bytes on the heap and in buffers. Forces a collection first if the total could exceed the limit, because V8
 *  collects late. */
function memory(limit) {
  if (used() > limit / 2) collectGarbage()
  return used()
}

function used() {
  const { heapUsed, external } = memoryUsage()
  return heapUsed + external
}

/** Keeps the worker alive after its response until the promise settles. */
function waitUntil(promise) {
  const settled = Promise.resolve(promise)
    .catch((error) => tell({ type: 'log', level: 'error', text: `EdgeRuntime.waitUntil: ${error?.stack ?? error}` }))
    .finally(() => background.delete(settled))
  background.add(settled)
  return promise
}

async function unload(reason) {
  try {
    globalThis.dispatchEvent(new CustomEvent('beforeunload', { cancelable: true, detail: { reason } }))
    while (background.size > 0) await Promise.allSettled(background)
    globalThis.dispatchEvent(new Event('unload'))
  } finally {
    tell({ type: 'unloaded' })
  }
}

function isolateEnvironment() {
  const values = Object.assign(Object.create(null), variables)
  Object.defineProperty(Deno, 'env', {
    value: {
      get: (name) => values[name],
      has: (name) => name in values,
      set: (name, value) => void Reflect.set(values, name, String(value)),
      delete: (name) => void delete values[name],
      toObject: () => ({ ...values }),
    },
  })
  process.env = new Proxy(values, { set: (_, name, value) => Reflect.set(values, name, String(value)) })
}

/** Maps `/tmp` to the function's own folder in Deno's API, node:fs and imports; permissions keep it out of the
 *  machine's. Refuses what hosted functions refuse. */
function replaceFiles() {
  const asynchronous =
    'open lstat stat realPath create remove writeFile writeTextFile readFile readTextFile mkdir makeTempDir makeTempFile readDir'
  const untilBooted =
    'lstatSync statSync removeSync writeFileSync writeTextFileSync readFileSync readTextFileSync mkdirSync makeTempDirSync makeTempFileSync readDirSync'
  const refused =
    'chmod chown copyFile rename link readLink symlink truncate utime chmodSync chownSync copyFileSync renameSync linkSync readLinkSync symlinkSync truncateSync utimeSync createSync openSync chdir umask watchFs dlopen'
  for (const name of [...asynchronous.split(' '), ...untilBooted.split(' '), 'realPathSync']) {
    const original = withPlaces(name, Deno[name])
    const isSync = name.endsWith('Sync') && name !== 'realPathSync'
    Deno[name] = (...args) => {
      if (isBooted && isSync) {
        if (!/^read(?:Text)?FileSync$/.test(name)) throw blocklisted(`${name} is blocklisted on the current context`)
        // `supabase start` allows the read but prints this warning.
        const text = `WARNING: Do not use Deno.${name} inside the async callback. This has performance impacts and will be disallowed in the future.\nUse the async version instead.`
        tell({ type: 'log', level: 'warn', text })
      }
      return original(...args)
    }
  }
  for (const name of refused.split(' ')) {
    Deno[name] = () => {
      throw blocklisted(`${name} is blocklisted`)
    }
  }
  for (const of of [fs, fs.promises]) {
    for (const [name, original] of Object.entries(of)) {
      if (typeof original === 'function' && !/^[A-Z_]/.test(name)) of[name] = withPlaces(name, original)
    }
  }
  // Deno's own ends the process for a path that it can't read.
  const exists = async (path) => fs.existsSync(path)
  fs.exists = Object.assign((path, done) => void exists(path).then(done), { [promisify.custom]: exists })
  replaceModules()
  replaceRequire()
}

/** Gives functions modules whose names are the replaced functions, and keeps imports within what they may read: Deno
 *  asks for no permission to read what a static import names, such as a text, and a dynamic one then finds it. Uses
 *  nothing that a function can replace. */
function replaceModules() {
  // A function's own hooks could resolve what these refuse.
  for (const name of ['register', 'registerHooks']) delete Module[name]
  const modules = Object.create(null)
  for (const [name, values] of [
    ['node:fs', fs],
    ['node:fs/promises', fs.promises],
    ['node:module', Module],
  ])
    modules[name] = namesOf(name, values)
  registerHooks({
    resolve(specifier, context, next) {
      const place = /^(?:file:\/\/)?(\/tmp\/.*)/.exec(specifier)?.[1]
      const found = next(place && isTemporary(place) ? `file://${temporary}${place.slice(4)}` : specifier, context)
      const own = modules[found.url]
      // `require` returns the module itself, whose functions are already replaced.
      if (own && own !== context.parentURL && context.conditions[1] !== 'require')
        return { url: own, shortCircuit: true }
      if (!CODE.test(found.url) || (context.importAttributes.type && FILE.test(found.url)))
        statSync(fileURLToPath(found.url))
      return found
    },
  })
}

function replaceRequire() {
  const { _resolveFilename: find, _extensions: loaders } = Module
  const load = loaders['.js']
  loaders['.js'] = (module, path) => {
    try {
      return load(module, path)
    } catch (error) {
      // While hooks are registered, Deno can't resolve the imports of an ES module whose name doesn't say that it is one.
      if (!/Cannot resolve module/.test(error?.message)) throw error
      return loaders['.mjs'](module, path)
    }
  }
  Module._resolveFilename = (specifier, ...rest) => {
    try {
      return find(placed(specifier), ...rest)
    } catch (error) {
      // After a preloaded module, Deno doesn't reliably apply the import map to `require`.
      const [, name, path] = /^((?:@[^/]+\/)?[^/]+)(.*)$/.exec(specifier) ?? []
      if (!Object.hasOwn(packages, name)) throw error
      return fileURLToPath(import.meta.resolve(packages[name] + path))
    }
  }
}

/** A module with another's names and their current values. */
function namesOf(specifier, values) {
  const names = Object.keys(values).filter((name) => name !== 'default')
  const source = `import all from '${specifier}'\nexport default all\nexport const { ${names.join(', ')} } = all`
  return `data:text/javascript,${encodeURIComponent(source)}`
}

const blocklisted = (what) => new Deno.errors.PermissionDenied(`Deno.${what}`)

const isTemporary = (path) =>
  /^\/tmp(?:\/|$)/.test(path) && ![temporary, ...readable].some((one) => path === one || path.startsWith(`${one}/`))

/** Wraps a file function to map `/tmp` to the function's own folder. Like a hosted function, it finds nothing elsewhere. */
function withPlaces(name, original) {
  const paths = WITH_TWO_PATHS.test(name) ? 2 : 1
  const call = (args) => original(...args.map((argument, index) => (index < paths ? placed(argument) : argument)))
  const mapped = (...args) => {
    try {
      const result = call(args)
      return result instanceof Promise ? result.catch((error) => hide(error, name)) : result
    } catch (error) {
      return hide(error, name)
    }
  }
  // `promisify` reads properties that aren't enumerable.
  Object.defineProperties(mapped, Object.getOwnPropertyDescriptors(original))
  if (!name.startsWith('realPath')) return mapped
  const shown = (path) => (path.startsWith(temporary) ? `/tmp${path.slice(temporary.length)}` : path)
  return name.endsWith('Sync') ? (path) => shown(mapped(path)) : async (path) => shown(await mapped(path))
}

/** @throws {Deno.errors.NotFound} in place of a refusal to read */
function hide(error, name) {
  if (!/^Requires read access/.test(error?.message)) throw error
  if (name === 'existsSync') return false
  const missing = new Deno.errors.NotFound(`No such file or directory (os error 2): ${name}`)
  throw Object.assign(missing, { code: 'ENOENT', errno: -2, syscall: name })
}

/** Maps a path below `/tmp` into the function's own folder. */
function placed(argument) {
  if (typeof argument === 'string') return isTemporary(argument) ? temporary + argument.slice(4) : argument
  if (argument instanceof URL && argument.protocol === 'file:') {
    return isTemporary(argument.pathname) ? new URL(`file://${temporary}${argument.pathname.slice(4)}`) : argument
  }
  return typeof argument?.dir === 'string' ? { ...argument, dir: placed(argument.dir) } : argument
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

/** `new Supabase.ai.Session('gte-small').run(text)` returns a vector of 384 numbers. */
function makeSession() {
  let questions = 0
  return class Session {
    constructor(model) {
      if (model !== 'gte-small') {
        throw new Error(`Supabase.ai.Session: the model "${model}" is not available here; "gte-small" is`)
      }
      this.model = model
    }

    run(input, { mean_pool = true, normalize = true } = {}) {
      const number = ++questions
      return new Promise((resolve, reject) => {
        sessions.set(number, ({ output, error }) => {
          sessions.delete(number)
          if (error) reject(new Error(error))
          else resolve(output)
        })
        tell({ type: 'embed', number, question: { model: this.model, input, mean_pool, normalize } })
      })
    }
  }
}
