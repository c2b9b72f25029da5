// Functions that write without end to the log, to stdout and to stderr.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FunctionsServer, startFunctionsServer } from '../../src/testing/functions-server.ts'

/** Milliseconds for which the functions write. */
const DURATION = 4_000

let server: FunctionsServer
beforeAll(async () => {
  server = await startFunctionsServer({
    'functions/calm/index.ts': "Deno.serve(() => new Response('calm'))",
    'functions/writer/index.ts': `
      const write = (stream, text) => stream.writeSync(new TextEncoder().encode(text))
      const ways = {
        lines: () => console.log('y'),
        long: () => console.log('y'.repeat(1_000_000)),
        stdout: () => write(Deno.stdout, 'y'.repeat(1_000_000)),
        stderr: () => write(Deno.stderr, 'y'.repeat(1_000_000)),
      }
      Deno.serve(async (request) => {
        const way = ways[await request.text()]
        for (const end = Date.now() + ${DURATION}; Date.now() < end; ) way()
        return new Response('written')
      })`,
  })
})
afterAll(async () => {
  await server?.close()
})

test.each(['lines', 'long', 'stdout', 'stderr'])('others are answered while a function writes %s', async (way) => {
  server.logged.length = 0
  const writing = server.call('writer', { method: 'POST', body: way })
  expect(await (await server.call('calm')).text()).toBe('calm')
  expect((await writing).status).toBe(200)
  expect(Math.max(...server.logged.map((line) => line.length))).toBeLessThan(1_100_000)
})
