import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { type FunctionsServer, startFunctionsServer } from '../testing/functions-server.ts'

let server: FunctionsServer
beforeAll(async () => {
  server = await startFunctionsServer({ 'functions/hello/index.ts': "Deno.serve(() => new Response('hello'))" })
})
afterAll(() => server.close())

const ask = async (name: string) => {
  const response = await fetch(`${server.url}/functions/v1/_internal/${name}`)
  return { status: response.status, body: response.ok ? await response.json() : null }
}

test('the health check needs no key', async () => {
  expect(await ask('health')).toEqual({ status: 200, body: { message: 'ok' } })
})

test('the metrics count requests and workers', async () => {
  const { body: before } = await ask('metric')
  expect(before).toMatchObject({ activeUserWorkersCount: 0, retiredUserWorkersCount: 0 })
  expect(before.mainWorkerHeapStats.usedHeapSize).toBeGreaterThan(0)
  expect((await server.call('hello')).status).toBe(200)
  const { body: after } = await ask('metric')
  expect(after).toMatchObject({ activeUserWorkersCount: 1, retiredUserWorkersCount: 0 })
  // The current request is received but not yet handled.
  expect(after.receivedRequestsCount).toBe(before.receivedRequestsCount + 2)
  expect(after.handledRequestsCount).toBe(after.receivedRequestsCount - 1)
  await server.write('functions/hello/index.ts', "Deno.serve(() => new Response('changed'))")
  await eventually(async () => expect((await ask('metric')).body).toMatchObject({ retiredUserWorkersCount: 1 }))
})

test('other paths are not found', async () => {
  expect(await ask('else')).toEqual({ status: 404, body: null })
})
