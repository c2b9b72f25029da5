import { createServer } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { isAlive } from '../platform/process.ts'
import { type FunctionsServer, startFunctionsServer } from '../testing/functions-server.ts'

const LIMIT = {
  code: 'WORKER_LIMIT',
  message: 'Worker failed to respond due to a resource limit (please check logs)',
}
const TELL_PID = "console.log('pid ' + Deno.pid);"
const HELLO = "Deno.serve(() => new Response('hello'))"
const COUNTER = `
  let calls = 0
  addEventListener('beforeunload', ({ detail }) => console.log('leaving: ' + detail.reason))
  Deno.serve(async (req) => {
    if (req.headers.get('upgrade')) {
      const { socket, response } = Deno.upgradeWebSocket(req)
      socket.onopen = () => socket.send(String(++calls))
      return response
    }
    EdgeRuntime.waitUntil(new Promise((done) => setTimeout(done, 50)).then(() => console.log('after ' + calls)))
    return new Response(String(++calls))
  })`

describe('memory', () => {
  let server: FunctionsServer
  beforeAll(async () => {
    server = await startFunctionsServer(
      {
        'functions/hello/index.ts': HELLO,
        'functions/loop/index.ts': `${TELL_PID} Deno.serve(() => {
          const kept = []
          for (;;) kept.push(new Array(100_000).fill(Math.random()))
        })`,
        'functions/hoard/index.ts': `
          ${TELL_PID}
          const kept: Uint8Array[] = []
          Deno.serve(async () => {
            for (let n = 0; n < 100; n++) {
              kept.push(new Uint8Array(8_000_000).fill(n))
              await new Promise((done) => setTimeout(done, 20))
            }
            return new Response('kept 800 MB')
          })`,
        'functions/buffers/index.ts': `${TELL_PID} Deno.serve(() => {
          const kept = []
          for (;;) kept.push(new Uint8Array(8_000_000).fill(1))
        })`,
        'functions/wasm/index.ts': `${TELL_PID} Deno.serve(() => {
          const memory = new WebAssembly.Memory({ initial: 1, maximum: 65_536 })
          for (;;) {
            if (memory.buffer.byteLength < 3e9) memory.grow(160)
            new Uint8Array(memory.buffer).fill(1)
          }
        })`,
        'functions/threads/index.ts': `
          import { Worker } from 'node:worker_threads'
          ${TELL_PID}
          const code = 'const kept = []; setInterval(() => kept.push(new Array(4_000_000).fill(Math.random())), 5)'
          Deno.serve(() => {
            for (let n = 0; n < 4; n++) new Worker(code, { eval: true })
            return new Promise(() => {})
          })`,
        'functions/garbage/index.ts': `Deno.serve(async () => {
          let sum = 0
          for (let n = 0; n < 60; n++) {
            sum += new Uint8Array(8_000_000).fill(1).length
            await new Promise((done) => setTimeout(done, 20))
          }
          return new Response(String(sum))
        })`,
      },
      { limits: { memory: 128 * 1024 * 1024 } },
    )
  })
  afterAll(async () => {
    await server?.close()
  })

  test.each(['loop', 'hoard', 'buffers', 'wasm', 'threads'])(
    'ends %s and its process with 546 without affecting other functions',
    async (name) => {
      const before = server.call('hello')
      const greedy = server.call(name)
      expect(await (await before).text()).toBe('hello')
      const ended = await greedy
      expect([ended.status, await ended.json(), ended.headers.get('x-relay-error')]).toEqual([546, LIMIT, 'true'])
      expect(server.logged.join('\n')).toContain(`${name}: was ended: it used more than 128 MB of memory`)
      expect(await (await server.call('hello')).text()).toBe('hello')
      const pids = server.logged.flatMap((line) => /pid (\d+)/.exec(line)?.[1] ?? []).map(Number)
      await expect.poll(() => pids.filter(isAlive), { timeout: 5_000 }).toEqual([])
    },
  )

  test("doesn't count memory that can be garbage-collected", async () => {
    expect(await (await server.call('garbage')).text()).toBe('480000000')
  })
})

describe('worker lifetime', () => {
  let server: FunctionsServer
  afterEach(async () => {
    await server.close()
  })

  test('oneshot: each request gets its own worker, which may finish background work', async () => {
    server = await startFunctionsServer(
      { 'functions/counter/index.ts': COUNTER },
      { toml: '[edge_runtime]\npolicy = "oneshot"' },
    )
    for (let round = 0; round < 3; round++) expect(await (await server.call('counter')).text()).toBe('1')
    await expect.poll(() => server.logged.filter((line) => line === 'counter: leaving: termination')).toHaveLength(3)
    await expect.poll(() => server.logged.filter((line) => line === 'counter: after 1')).toHaveLength(3)
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/functions/v1/counter`, {
      headers: { authorization: `Bearer ${server.identity.keys.anon}` },
    })
    expect(await new Promise((resolve) => socket.once('message', (data) => resolve(String(data))))).toBe('1')
    socket.close()
    await expect.poll(() => server.logged.filter((line) => line === 'counter: leaving: termination')).toHaveLength(4)
  })

  test('per_worker: requests share a worker until it expires', async () => {
    server = await startFunctionsServer({ 'functions/counter/index.ts': COUNTER }, { limits: { lifetime: 1_500 } })
    expect(await (await server.call('counter')).text()).toBe('1')
    expect(await (await server.call('counter')).text()).toBe('2')
    await expect.poll(() => server.logged, { timeout: 10_000 }).toContain('counter: leaving: wall_clock')
    expect(await (await server.call('counter')).text()).toBe('1')
  })

  test('completes background tasks before a worker without requests ends', async () => {
    server = await startFunctionsServer(
      {
        'functions/later/index.ts': `Deno.serve(() => {
          EdgeRuntime.waitUntil(new Promise((done) => setTimeout(done, 600)).then(() => console.log('done')))
          return new Response('answered')
        })`,
      },
      { limits: { idle: 50, grace: 50 } },
    )
    expect(await (await server.call('later')).text()).toBe('answered')
    await expect.poll(() => server.logged).toContain('later: done')
  })

  test("a request gets 546 when its worker's lifetime ends", async () => {
    server = await startFunctionsServer(
      { 'functions/slow/index.ts': 'Deno.serve(() => new Promise(() => {}))' },
      { limits: { lifetime: 500, grace: 200 } },
    )
    const response = await server.call('slow')
    expect([response.status, await response.json()]).toEqual([546, LIMIT])
  })

  test('ends a function that loops before it listens', async () => {
    server = await startFunctionsServer(
      { 'functions/loop/index.ts': `${TELL_PID} for (;;);` },
      { limits: { bootProcessorTime: 1_000 } },
    )
    const response = await server.call('loop')
    expect([response.status, (await response.json()).cause]).toEqual([
      503,
      'used more than 1 s of processor time to boot',
    ])
    const pid = Number(/pid (\d+)/.exec(server.logged.join())?.[1])
    await expect.poll(() => isAlive(pid), { timeout: 5_000 }).toBe(false)
  })

  test('a debugger on inspector_port sees the function', async () => {
    const port = await freePort()
    server = await startFunctionsServer(
      { 'functions/hello/index.ts': HELLO },
      {
        toml: `[edge_runtime]\ninspector_port = ${port}`,
        env: { ...process.env, UNDOCK_INSPECT_FUNCTIONS: '1' },
      },
    )
    expect(await (await server.call('hello')).text()).toBe('hello')
    expect(server.logged).toContain(`-: functions: a debugger may attach to 127.0.0.1:${port} (hello)`)
    const [target] = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
      webSocketDebuggerUrl: string
    }[]
    const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '')
    await new Promise((resolve) => socket.once('open', resolve))
    const seen = new Promise((resolve) => {
      socket.on('message', (data) => {
        if (String(data).includes('/hello/index.ts')) resolve(true)
      })
    })
    socket.send(JSON.stringify({ id: 1, method: 'Debugger.enable' }))
    expect(await seen).toBe(true)
    socket.terminate()
  })
})

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
