import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { createClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { eventually } from '../testing/eventually.ts'
import { join } from '../testing/realtime-client.ts'
import { type RealtimeNode, type RealtimeNodes, startRealtimeNodes } from '../testing/realtime-nodes.ts'

let nodes: RealtimeNodes
let ending: RealtimeNode
let staying: RealtimeNode
beforeAll(async () => {
  nodes = await startRealtimeNodes(2)
  ;[ending, staying] = nodes.nodes as [RealtimeNode, RealtimeNode]
})
afterAll(() => nodes?.close())

/** Forwards connections to a node, like a load balancer. */
async function startBalancer(first: RealtimeNode): Promise<{ url: string; sendTo(node: RealtimeNode): void }> {
  let target = first
  const server = createServer((incoming) => {
    const outgoing = connect(Number(new URL(target.url).port), '127.0.0.1')
    incoming.on('error', () => outgoing.destroy()).pipe(outgoing)
    outgoing.on('error', () => incoming.destroy()).pipe(incoming)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    sendTo(node) {
      target = node
    },
  }
}

const socketUrl = ({ url, identity }: RealtimeNode) =>
  `${url.replace('http', 'ws')}/realtime/v1/websocket?vsn=1.0.0&apikey=${identity.keys.publishable}`

async function openSocket(node: RealtimeNode) {
  const socket = new WebSocket(socketUrl(node))
  const closed: { code?: number; at?: number } = {}
  socket.on('close', (code) => Object.assign(closed, { code, at: performance.now() }))
  await once(socket, 'open')
  return { socket, closed }
}

test('a draining node sends its clients to another one gradually, where they rejoin', async () => {
  const balancer = await startBalancer(ending)
  const heard = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const client = createClient(balancer.url, ending.identity.keys.publishable, { auth: { persistSession: false } })
      onTestFinished(() => void client.realtime.disconnect())
      const own: unknown[] = []
      const channel = client.channel('drained').on('broadcast', { event: '*' }, ({ payload }) => own.push(payload.n))
      expect(await join(channel)).toBe('SUBSCRIBED')
      return own
    }),
  )
  const sockets = await Promise.all(Array.from({ length: 10 }, () => openSocket(ending)))
  const joining = sockets.at(-1)
  balancer.sendTo(staying)
  const since = performance.now()
  const drained = ending.drain(2)
  const refused = new WebSocket(socketUrl(ending))
  const [, response] = await once(refused, 'unexpected-response')
  expect(response.statusCode).toBe(503)
  refused.on('error', () => undefined).terminate()
  joining?.socket.send(JSON.stringify({ topic: 'realtime:x', event: 'phx_join', payload: {}, ref: '1', join_ref: '1' }))
  await eventually(() => expect(joining?.closed.code).toBe(1012))
  expect(Number(joining?.closed.at) - since).toBeLessThan(1_500)
  await drained
  await eventually(() => expect(sockets.map(({ closed }) => closed.code)).toEqual(Array(10).fill(1012)))
  const times = sockets.slice(0, -1).map(({ closed }) => Number(closed.at) - since)
  expect(Math.max(...times)).toBeGreaterThan(1_500)
  expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(500)
  await eventually(async () => {
    await staying.client().channel('drained').httpSend('there', { n: 1 })
    expect(heard.filter((own) => own.length === 0)).toEqual([])
  })
})
