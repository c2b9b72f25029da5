import { existsSync } from 'node:fs'
import { cp, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import { type FunctionsServer, startFunctionsServer } from '../../src/testing/functions-server.ts'
import type { FoundCase, Suite } from './suite.ts'

const FOLDER = 'crates/base/test_cases'

/** What upstream's integration tests expect of a function: the status and the text, or a part of the JSON response. */
type Expected = {
  readonly status?: number
  readonly text?: string
  readonly body?: string
  /** Whether to open a WebSocket, whose first message is `text`. */
  readonly socket?: true
}

const MEOW = { text: 'meow' }
const BOOTS_NOT = { status: 503, text: 'BOOT_ERROR' }
const IS_ENDED = { status: 546, text: 'WORKER_LIMIT' }

/** The functions that upstream's tests call directly; their Rust programs aren't run. */
const EXPECTED: Readonly<Record<string, Expected>> = {
  'array-alloc': IS_ENDED,
  'array-alloc-sync': IS_ENDED,
  boot_err_user_worker: BOOTS_NOT,
  'brotli-async': MEOW,
  commonjs: MEOW,
  'commonjs-custom-main': MEOW,
  'commonjs-express': MEOW,
  'commonjs-express-websocket': { socket: true },
  'commonjs-hono': MEOW,
  'commonjs-hono-websocket': { socket: true },
  'commonjs-no-type-field': MEOW,
  'commonjs-ws-websocket': { socket: true },
  decorator_tc39: { text: 'meow?' },
  decorator_typescript_with_metadata: { text: 'meow?' },
  'empty-response': { status: 204, text: '' },
  'fastify-latest': MEOW,
  'fastify-v4': MEOW,
  'graph-error-1': BOOTS_NOT,
  'graph-error-2': BOOTS_NOT,
  heap_limit: IS_ENDED,
  invalid_imports: BOOTS_NOT,
  'issue-513': {},
  json_import: { text: '{"version":"1.0.0"}' },
  jsx: {},
  'jsx-preact': {},
  'node-server': {},
  npm: {},
  'npm-import-with-package-json': {},
  oak: {},
  'oak-with-jsr': {},
  'pin-package': { text: '3.0.0' },
  'readable-stream-resp': { text: 'Hello world from streams' },
  'return-invalid-resp': { status: 502 },
  'return-invalid-resp-2': { status: 502 },
  'serve-declarative-style': MEOW,
  'serve-declarative-style-js': MEOW,
  'serve-js': MEOW,
  'sleep-5000ms': {},
  std_user_worker: { body: '{"name":"bar"}', text: '{"message":"Hello bar from foo!"}' },
  unresolved_promise: BOOTS_NOT,
  'use-tmp-fs': { text: '"written":8,"content":"meowmeow","deleted":true,"steps":[true,false]' },
  'use-tmp-fs-3': {},
  'wasm-module': { text: '3' },
  'websocket-upgrade': { socket: true },
  'websocket-upgrade-node': { socket: true },
  'with-import-map': { text: '{"message":"ok"}' },
  'with-import-map-2': { text: '{"message":"ok"}' },
  workspace: { text: '{"cat":"meow","dog":"bark","sheep":"howl"}' },
}

/** The functions called by edge-runtime's own tests. They run without a database. */
export const functions: Suite = {
  upstream: { repository: 'supabase/edge-runtime', tag: 'v1.74.0' },
  onNodes: false,
  async run(checkout, { only }) {
    const folder = join(checkout, FOLDER)
    const names = (await readdir(folder)).filter((name) => Object.hasOwn(EXPECTED, name) && name.includes(only))
    const entrypoints = await Promise.all(names.map((name) => entrypointOf(join(folder, name))))
    const settings = names.map(
      (name, at) =>
        `[functions."${name}"]\nverify_jwt = false\nentrypoint = "./functions/${name}/${entrypoints[at]}"\n`,
    )
    const server = await startFunctionsServer({}, { toml: settings.join('') })
    const cases: FoundCase[] = []
    try {
      for (const name of names) await cp(join(folder, name), join(server.folder, name), { recursive: true })
      for (const name of names) {
        const miss = await missOf(server, name, EXPECTED[name] ?? {}).catch(String)
        cases.push({ group: 'test_cases', name, miss, leftOut: null })
      }
    } finally {
      await server.close()
    }
    return { cases, unread: [] }
  },
}

/** Like upstream: an index of any kind, else package.json's entry. */
async function entrypointOf(folder: string): Promise<string> {
  const found = ['ts', 'tsx', 'js', 'jsx', 'mjs', 'cjs'].map((ending) => `index.${ending}`)
  const index = found.find((name) => existsSync(join(folder, name)))
  return index ?? JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')).main
}

async function missOf(server: FunctionsServer, name: string, expected: Expected): Promise<string | null> {
  const { status = 200, text = '', body, socket } = expected
  if (socket) return socketMiss(`${server.url.replace('http', 'ws')}/functions/v1/${name}`)
  const response = await server.call(name, body === undefined ? {} : { method: 'POST', body })
  const answer = await response.text()
  return response.status === status && answer.includes(text) ? null : `${response.status} ${answer.slice(0, 300)}`
}

/** The function greets, and echoes messages. */
function socketMiss(url: string): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url)
    const heard: string[] = []
    socket.on('message', (data) => {
      heard.push(String(data))
      if (heard.length === 1) return socket.send('meow!!')
      socket.close()
      resolve(heard[1] === 'meow!!' ? null : heard.join())
    })
    socket.once('error', (error) => resolve(error.message))
    socket.once('close', () => resolve(`closed after ${heard.join()}`))
  })
}
