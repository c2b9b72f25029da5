import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { FunctionsHttpError, FunctionsRelayError } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { ApiKeys } from '../identity/identity.ts'
import { type FunctionsServer, startFunctionsServer } from '../testing/functions-server.ts'

const FILES: Record<string, string> = {
  'hello/index.ts': `
    import { greet } from '../_shared/greet.ts'
    Deno.serve(async (req: Request) => {
      const { name } = await req.json().catch(() => ({ name: 'nobody' }))
      console.log('greeting', { name })
      return Response.json({ message: greet(name) })
    })`,
  '_shared/greet.ts': "export const greet = (name: string) => 'Hello ' + name + '!'",
  'mirror/index.ts': `
    Deno.serve({ port: 9999 }, async (req) => Response.json({
      url: req.url, method: req.method, body: await req.text(),
      headers: Object.fromEntries(req.headers),
    }, { status: 201, headers: { 'x-mirror': 'yes' } }))`,
  'environment/index.ts': `
    import process from 'node:process'
    Deno.env.set('LOCAL', 'mine')
    Deno.serve(() => Response.json({ ...Deno.env.toObject(), fromProcess: process.env.MY_SECRET, home: process.env.HOME ?? null }))`,
  'other-environment/index.ts': "Deno.serve(() => new Response(Deno.env.get('LOCAL') ?? 'unset'))",
  'stream/index.ts': `
    Deno.serve(async (req) => {
      if (req.method === 'POST') {
        const through = new TransformStream({ transform: (chunk, out) => out.enqueue(chunk) })
        return new Response(req.body!.pipeThrough(through))
      }
      const body = new ReadableStream({
        async start(controller) {
          for (const word of ['one', 'two', 'three']) {
            controller.enqueue(new TextEncoder().encode('data: ' + word + '\\n\\n'))
            await new Promise((done) => setTimeout(done, 30))
          }
          controller.close()
        },
      })
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    })`,
  'socket/index.ts': `
    Deno.serve((req) => {
      const { socket, response } = Deno.upgradeWebSocket(req)
      socket.onmessage = ({ data }) => socket.send('echo ' + data)
      return response
    })`,
  'early/index.ts': `
    Deno.serve(async (req) => {
      const reader = req.body.getReader()
      await reader.read()
      await reader.cancel()
      return new Response('too much', { status: 413 })
    })`,
  'late/index.ts': "Deno.serve(() => new Promise((answer) => setTimeout(answer, 900, new Response('done'))))",
  'loop/index.ts': 'Deno.serve(() => { while (true) {} })',
  'crash/index.ts': "Deno.serve(() => { setTimeout(() => { throw new Error('boom') }); return new Promise(() => {}) })",
  'throws/index.ts': "Deno.serve(() => { throw new Error('thrown') })",
  'syntax/index.ts': 'Deno.serve((req) => new Response(',
  'silent/index.ts': "console.log('nothing is served')",
  'warning/index.ts': "Deno.stderr.writeSync(new TextEncoder().encode('(node:1) DeprecationWarning: old\\n'))",
  'forbidden/index.ts': `
    Deno.serve(async () => {
      const tried = await Promise.allSettled([async () => new Deno.Command('ls').output(), async () => Deno.writeTextFile('/etc/undock', 'x')].map((run) => run()))
      return Response.json(tried.map(({ status }) => status))
    })`,
  'absent/index.ts':
    'Deno.serve(() => Response.json([Deno.cron, Deno.openKv, EdgeRuntime.userWorkers].map((one) => typeof one)))',
  'cron/index.ts': "Deno.cron('tidy', '* * * * *', () => {}); Deno.serve(() => new Response('ok'))",
  'main/index.ts': `
    import { isMain } from './other.ts'
    const handler: Deno.ServeHandler = () => Response.json([import.meta.main, isMain])
    if (import.meta.main) Deno.serve(handler)`,
  'main/other.ts': 'export const isMain: boolean = import.meta.main',
  'later/index.ts': `
    Deno.serve(() => {
      EdgeRuntime.waitUntil(new Promise((done) => setTimeout(done, 80)).then(() => console.log('done afterwards')))
      return new Response('at once')
    })`,
  'mapped/index.ts': `
    import 'jsr:@supabase/functions-js/edge-runtime.d.ts'
    import '@supabase/functions-js/edge-runtime.d.ts'
    import { word } from 'words'
    import { word as other } from '@/other.ts'
    Deno.serve(() => new Response(word + ' ' + other))`,
  'mapped/deno.json':
    '{\n  // its own words\n  "imports": { "words": "./words.ts", "@/": "./lib/", "@supabase/functions-js": "jsr:@supabase/functions-js@^2", },\n}',
  'mapped/words.ts': "export const word = 'mapped'",
  'mapped/lib/other.ts': "export const word = 'aliased'",
  'bad-map/index.ts': "Deno.serve(() => new Response('never'))",
  'bad-map/deno.json': '{ "imports": ["no map"] ',
  'mapped-otherwise/index.ts': "import { word } from 'words'\nDeno.serve(() => new Response(word))",
  'mapped-otherwise/deno.json': '{ "imports": { "words": "./words.ts" } }',
  'mapped-otherwise/words.ts': "export const word = 'otherwise'",
  'old-style/index.ts': `
    import { serve } from 'https://deno.land/std@0.168.0/http/server.ts'
    serve(() => new Response('served'))`,
  'std-prefix/index.ts': `
    import { serve } from 'std/http/server.ts'
    import { createHash } from 'std/node/crypto.ts'
    serve(() => new Response(createHash('md5').update('x').digest('hex')))`,
  'std-prefix/deno.json': '{ "imports": { "std/": "https://deno.land/std@0.168.0/" } }',
  'encodings/index.ts': `
    import { decode, encode } from 'https://deno.land/std@0.168.0/encoding/base64.ts'
    import { decodeBase64, encodeBase64 } from 'jsr:@std/encoding@1/base64'
    import { decodeBase64Url, encodeBase64Url } from 'jsr:@std/encoding/base64url'
    import { decodeHex, encodeHex } from 'jsr:@std/encoding/hex'
    const bytes = new Uint8Array([251, 255, 0, 1])
    const all = [encode(bytes), encodeBase64(bytes.buffer), encodeBase64Url(bytes), encodeHex(bytes), encode('ä')]
    const back = [decode(all[0]), decodeBase64(all[1]), decodeBase64Url(all[2]), decodeHex(all[3])]
    const isSame = back.every((one) => one instanceof Uint8Array && one.join() === bytes.join())
    Deno.serve(() => Response.json([isSame, ...all]))`,
  'with-xhr/index.ts': `
    import 'https://deno.land/x/xhr@0.1.0/mod.ts'
    Deno.serve(({ url }) => new Promise((resolve) => {
      const request = new XMLHttpRequest()
      request.open('POST', new URL('/functions/v1/mirror', url))
      request.setRequestHeader('x-custom', 'by xhr')
      request.responseType = 'json'
      request.onload = () => {
        const { method, headers } = request.response
        resolve(Response.json([request.status, method, headers['x-custom'], request.getResponseHeader('x-mirror')]))
      }
      request.onerror = () => resolve(new Response('error'))
      request.send('sent')
    }))`,
  'exported/index.ts': "export default { fetch: () => new Response('exported') }",
  'ai/index.ts': `
    Deno.serve(async () => {
      try { return new Response(String(new Supabase.ai.Session('llama'))) } catch (error) { return new Response(error.message) }
    })`,
  'off/index.ts': "Deno.serve(() => new Response('off'))",
  'renamed/main.ts': "Deno.serve(() => new Response('renamed'))",
  '.env': 'MY_SECRET=from-file\nSUPABASE_URL=nowhere\n',
}

const TOML = `
[functions.mirror]
verify_jwt = false
[functions.off]
enabled = false
[functions.renamed]
entrypoint = "./functions/renamed/main.ts"
[functions.socket]
verify_jwt = false
[edge_runtime.secrets]
token = "from-toml"
`

let server: FunctionsServer
let call: FunctionsServer['call']
beforeAll(async () => {
  const files = Object.fromEntries(Object.entries(FILES).map(([path, text]) => [`functions/${path}`, text]))
  server = await startFunctionsServer(files, { toml: TOML, limits: { unresponsive: 2500, grace: 1000 } })
  call = server.call
})
afterAll(async () => {
  await server?.close()
})

test('a function answers the official client and logs under its own name', async () => {
  const { data, error } = await server.client().functions.invoke('hello', { body: { name: 'Ada' } })
  expect([data, error]).toEqual([{ message: 'Hello Ada!' }, null])
  await expect.poll(() => server.logged).toContain("hello: greeting { name: 'Ada' }")
})

test('passes path, query, headers, method and body, and returns status and headers', async () => {
  const headers = {
    'x-custom': 'ü'.normalize('NFD').slice(0, 1),
    'content-type': 'text/plain',
    'x-region': 'us-east-1',
  }
  const response = await call('mirror/deep/path?q=1&q=2', { method: 'PATCH', body: 'the body', headers })
  expect([response.status, response.headers.get('x-mirror')]).toEqual([201, 'yes'])
  const seen = await response.json()
  expect(seen).toMatchObject({ url: `${server.url}/mirror/deep/path?q=1&q=2`, method: 'PATCH', body: 'the body' })
  expect(seen.headers).toMatchObject({ 'x-custom': 'u', 'x-region': 'us-east-1', 'x-forwarded-for': '10.0.0.1' })
})

test('rejects a request without a valid token before it reaches a function with verify_jwt', async () => {
  const bare = (name: string, headers: HeadersInit = {}, method = 'POST') =>
    fetch(`${server.url}/functions/v1/${name}`, { method, headers })
  const missing = await bare('hello')
  expect([missing.status, await missing.json()]).toEqual([401, { msg: 'Error: Missing authorization header' }])
  const bad = await bare('hello', { authorization: 'Bearer nonsense' })
  expect([bad.status, await bad.json()]).toEqual([401, { msg: 'Invalid JWT' }])
  expect((await bare('mirror')).status).toBe(201)
  expect((await bare('hello', {}, 'OPTIONS')).status).toBe(200)
  const opaque = await bare('mirror', { apikey: server.identity.keys.publishable })
  expect((await opaque.json()).headers.authorization).toBe(`Bearer ${server.identity.keys.anon}`)
})

describe('with verify_jwt, like the gateway of `supabase start`,', () => {
  const missing = [401, { msg: 'Error: Missing authorization header' }]
  const noBearer = [401, { msg: "Error: Auth header is not 'Bearer {token}'" }]
  const invalid = [401, { msg: 'Invalid JWT' }]
  const answered = [200, { message: 'Hello nobody!' }]

  test.each<[string, (keys: ApiKeys) => Record<string, string>, unknown]>([
    ['no key', () => ({}), missing],
    ['the publishable key as apikey', ({ publishable }) => ({ apikey: publishable }), answered],
    ['the secret key as apikey', ({ secret }) => ({ apikey: secret }), answered],
    ['another opaque key as apikey', () => ({ apikey: 'sb_publishable_other' }), noBearer],
    ['the key only as bearer', ({ publishable: key }) => ({ authorization: `Bearer ${key}` }), missing],
    ['the key as both', ({ publishable: key }) => ({ apikey: key, authorization: `Bearer ${key}` }), answered],
    ['the anon token as bearer', ({ anon }) => ({ authorization: `Bearer ${anon}` }), answered],
    ['the anon token only as apikey', ({ anon }) => ({ apikey: anon }), noBearer],
    ['an invalid token with the key', ({ publishable: apikey }) => ({ apikey, authorization: 'Bearer x' }), invalid],
    ['another scheme', ({ publishable: apikey }) => ({ apikey, authorization: 'Basic YTpi' }), noBearer],
  ])('%s', async (_name, headersOf, expected) => {
    const headers = headersOf(server.identity.keys)
    const response = await fetch(`${server.url}/functions/v1/hello`, { method: 'POST', headers })
    expect([response.status, await response.json()]).toEqual(expected)
  })

  test('a client reaches the function with only an API key', async () => {
    const invoked = await server.client().functions.invoke('hello', { body: { name: 'key' } })
    expect([invoked.data, invoked.error]).toEqual([{ message: 'Hello key!' }, null])
    const { error } = await server.client('sb_publishable_other').functions.invoke('hello')
    expect(error).toBeInstanceOf(FunctionsRelayError)
  })
})

test.each(['none', 'off', '_shared', '', '..%2f..%2fetc', 'hello.ts'])(
  'rejects %j as a function name',
  async (name) => {
    const response = await call(name)
    expect([response.status, await response.text()]).toEqual([404, 'Function not found'])
  },
)

test('functions see the hosted environment and their secrets, but no variables of the machine', async () => {
  const env = await (await call('environment')).json()
  expect(env).toMatchObject({
    SUPABASE_URL: 'http://127.0.0.1:54321',
    SUPABASE_ANON_KEY: server.identity.keys.anon,
    SUPABASE_SERVICE_ROLE_KEY: server.identity.keys.serviceRole,
    SUPABASE_DB_URL: 'postgresql://postgres:postgres@127.0.0.1:54322/postgres',
    SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: server.identity.keys.publishable }),
    MY_SECRET: 'from-file',
    fromProcess: 'from-file',
    TOKEN: 'from-toml',
    LOCAL: 'mine',
    SB_REGION: 'local',
    home: null,
  })
  expect(JSON.parse(env.SUPABASE_JWKS).keys).toHaveLength(1)
  expect(Object.keys(env).filter((name) => ['PATH', 'HOME', 'DENO_DIR'].includes(name))).toEqual([])
  expect(server.logged.join()).toContain('env name cannot start with SUPABASE_, skipping: SUPABASE_URL')
  expect(await (await call('other-environment')).text()).toBe('unset')
})

test('bodies stream both ways', async () => {
  const response = await call('stream')
  const chunks: string[] = []
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) chunks.push(decoder.decode(chunk))
  expect([response.headers.get('content-type'), chunks.length > 1, chunks.join('')]).toEqual([
    'text/event-stream',
    true,
    'data: one\n\ndata: two\n\ndata: three\n\n',
  ])
  const large = new Uint8Array(5_000_000).fill(7)
  const echoed = await call('stream', {
    method: 'POST',
    body: new Blob([large]).stream(),
    duplex: 'half',
  } as RequestInit)
  expect((await echoed.arrayBuffer()).byteLength).toBe(large.length)
})

test('a connection stays usable after a function responds without reading the body', async () => {
  const statuses = async (): Promise<unknown[]> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    try {
      return [await post(agent, 'early', Buffer.alloc(4_000_000)), await post(agent, 'late', Buffer.from('{}'))]
    } finally {
      agent.destroy()
    }
  }
  expect(await Promise.all(Array.from({ length: 8 }, statuses))).toEqual(Array(8).fill([413, 200]))
})

async function post(agent: Agent, name: string, body: Buffer): Promise<number | undefined> {
  const headers = { authorization: `Bearer ${server.identity.keys.anon}`, 'content-length': body.length }
  const sent = request(`${server.url}/functions/v1/${name}`, { method: 'POST', agent, headers }).end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  await response.resume().toArray()
  return response.statusCode
}

test('passes WebSockets to the function', async () => {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/functions/v1/socket?x=1`)
  const answer = new Promise((resolve, reject) => {
    socket.on('open', () => socket.send('hi'))
    socket.on('message', (data) => resolve(String(data)))
    socket.on('error', reject)
  })
  expect(await answer).toBe('echo hi')
  socket.close()
  const refused = new WebSocket(`${server.url.replace('http', 'ws')}/functions/v1/hello`)
  await expect(new Promise((_, reject) => refused.on('error', reject))).rejects.toThrow('401')
})

test('an endless loop ends only its own worker', async () => {
  const looping = call('loop')
  expect(await (await call('hello', { method: 'POST', body: '{"name":"meanwhile"}' })).json()).toEqual({
    message: 'Hello meanwhile!',
  })
  const ended = await looping
  expect([ended.status, await ended.json(), ended.headers.get('x-relay-error')]).toEqual([
    546,
    { code: 'WORKER_LIMIT', message: 'Worker failed to respond due to a resource limit (please check logs)' },
    'true',
  ])
  const { error } = await server.client().functions.invoke('loop')
  expect(error).toBeInstanceOf(FunctionsRelayError)
})

test('a crash ends only its own worker, and the next request gets a new one', async () => {
  for (let round = 0; round < 2; round++) {
    const response = await call('crash')
    expect([response.status, (await response.json()).code]).toEqual([500, 'WORKER_ERROR'])
  }
  expect(server.logged.join('\n')).toMatch(/crash: .*boom[\s\S]*crash\/index\.ts:1/)
  const thrown = await server.client().functions.invoke('throws')
  expect(thrown.error).toBeInstanceOf(FunctionsHttpError)
  await expect.poll(() => server.logged.join('\n')).toMatch(/throws: [\s\S]*thrown/)
})

test.each([
  ['syntax', /syntax\/index\.ts/],
  ['silent', /did not call Deno\.serve/],
  ['warning', /did not call Deno\.serve.*\s+.*DeprecationWarning: old/],
  ['cron', /Deno\.cron is not a function[\s\S]*cron\/index\.ts:1/],
  ['bad-map', /bad-map\/deno\.json/],
])('reports in the response and the log why %s does not boot', async (name, reason) => {
  const response = await call(name)
  expect([response.status, await response.json()]).toEqual([
    503,
    {
      code: 'BOOT_ERROR',
      message: 'Worker failed to boot (please check logs)',
      cause: expect.stringMatching(reason),
    },
  ])
  expect(server.logged.join('\n')).toMatch(new RegExp(`${name}: [\\s\\S]*${reason.source}`))
})

test("a function can't run programs and can write only temporary files", async () => {
  expect(await (await call('forbidden')).json()).toEqual(['rejected', 'rejected'])
})

test('removes globals that hosted functions lack', async () => {
  expect(await (await call('absent')).json()).toEqual(['undefined', 'undefined', 'undefined'])
})

test('background work continues after the response', async () => {
  expect(await (await call('later')).text()).toBe('at once')
  await expect.poll(() => server.logged).toContain('later: done afterwards')
})

test.each([
  ['mapped', 'mapped aliased'],
  ['mapped-otherwise', 'otherwise'],
  ['old-style', 'served'],
  ['encodings', JSON.stringify([true, '+/8AAQ==', '+/8AAQ==', '-_8AAQ', 'fbff0001', 'w6Q='])],
  ['std-prefix', '9dd4e461268c8034f5c8564e155c67a6'],
  ['with-xhr', '[201,"POST","by xhr","yes"]'],
  ['main', '[true,false]'],
  ['exported', 'exported'],
  ['renamed', 'renamed'],
  ['ai', 'Supabase.ai.Session: the model "llama" is not available here; "gte-small" is'],
])('%s answers %j', async (name, answer) => {
  expect(await (await call(name)).text()).toBe(answer)
})

test('with several `functions serve`, the latest settings apply, and ending each removes its own', async () => {
  const withoutToken = async () => (await fetch(`${server.url}/functions/v1/renamed`)).status
  expect(await withoutToken()).toBe(401)
  const endFirst = await server.serveWith({ noVerifyJwt: true })
  const endSecond = await server.serveWith({ noVerifyJwt: true })
  await endFirst()
  expect(await withoutToken()).toBe(200)
  const endThird = await server.serveWith({})
  expect(await withoutToken()).toBe(401)
  await endThird()
  expect(await withoutToken()).toBe(200)
  await endSecond()
  expect(await withoutToken()).toBe(401)
})

test('reloads and logs a function when any file it imports changes', async () => {
  const greeting = async () => (await (await call('hello', { method: 'POST', body: '{"name":"x"}' })).json()).message
  expect(await greeting()).toBe('Hello x!')
  await server.write('functions/_shared/greet.ts', "export const greet = (name: string) => 'Goodbye ' + name + '!'")
  await expect.poll(greeting, { timeout: 10_000 }).toBe('Goodbye x!')
  expect(server.logged.join('\n')).toContain('reloaded hello (_shared/greet.ts changed)')

  await server.write('functions/syntax/index.ts', "Deno.serve(() => new Response('fixed'))")
  await expect.poll(async () => (await call('syntax')).text(), { timeout: 10_000 }).toBe('fixed')

  await server.write('functions/added/index.ts', "Deno.serve(() => new Response('added'))")
  expect(await (await call('added')).text()).toBe('added')

  await server.write('functions/.env', 'MY_SECRET=changed\n')
  await expect
    .poll(async () => (await (await call('environment')).json()).MY_SECRET, { timeout: 10_000 })
    .toBe('changed')
})
