import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createClient, type RealtimeChannel } from '@supabase/supabase-js'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { join } from '../testing/realtime-client.ts'
import { type RealtimeNode, type RealtimeNodes, startRealtimeNodes } from '../testing/realtime-nodes.ts'

const PROGRAM = fileURLToPath(new URL('../testing/realtime-node-process.ts', import.meta.url))

let nodes: RealtimeNodes
let a: RealtimeNode
let b: RealtimeNode
beforeAll(async () => {
  nodes = await startRealtimeNodes(2)
  ;[a, b] = nodes.nodes as [RealtimeNode, RealtimeNode]
})
afterEach(async () => {
  await nodes.disconnect()
  for (const node of nodes.nodes) expect(node.faults.splice(0)).toEqual([])
})
afterAll(() => nodes?.close())

type Member = { readonly channel: RealtimeChannel; readonly events: string[]; present(): Record<string, unknown[]> }

async function member(channel: RealtimeChannel): Promise<Member> {
  const events: string[] = []
  const note = (event: string, key: string, list: readonly object[]) =>
    events.push(`${event} ${key} ${JSON.stringify(list.map((meta) => ({ ...meta, presence_ref: undefined })))}`)
  channel
    .on('presence', { event: 'join' }, ({ key, newPresences }) => note('join', key, newPresences))
    .on('presence', { event: 'leave' }, ({ key, leftPresences }) => note('leave', key, leftPresences))
  expect(await join(channel)).toBe('SUBSCRIBED')
  return {
    channel,
    events,
    present: () =>
      Object.fromEntries(
        Object.entries(channel.presenceState<{ n: number }>())
          .map(([key, metas]) => [key, metas.map(({ n }) => n).sort()] as const)
          .toSorted(([x], [y]) => x.localeCompare(y)),
      ),
  }
}

const on = (node: Pick<RealtimeNode, 'client'>, topic: string, key: string) =>
  member(node.client().channel(topic, { config: { presence: { key } } }))

test('a client sees joins, updates and leaves on another node like on its own', async () => {
  const [near, far] = [await on(a, 'room', 'near'), await on(b, 'room', 'far')]
  const third = await on(a, 'room', 'third')
  await third.channel.track({ n: 1 })
  const expected = ['join third [{"n":1}]']
  await eventually(() => expect([near.events, far.events]).toEqual([expected, expected]))
  await third.channel.track({ n: 2 })
  expected.push('join third [{"n":2}]', 'leave third [{"n":1}]')
  await eventually(() => expect([near.events, far.events]).toEqual([expected, expected]))
  await third.channel.untrack()
  expected.push('leave third [{"n":2}]')
  await eventually(() => expect([near.events, far.events]).toEqual([expected, expected]))
})

test('a new client gets the full state, including several metas per key; a lost connection removes them', async () => {
  const members = [await on(a, 'club', 'anna'), await on(b, 'club', 'anna'), await on(b, 'club', 'ben')]
  for (const [n, { channel }] of members.entries()) await channel.track({ n })
  const whole = { anna: [0, 1], ben: [2] }
  const late = [await on(a, 'club', 'x'), await on(b, 'club', 'y')]
  await eventually(() => {
    for (const one of [...members, ...late]) expect(one.present()).toEqual(whole)
  })
  await members[1]?.channel.socket.disconnect()
  await eventually(() => {
    for (const one of late) expect(one.present()).toEqual({ anna: [0], ben: [2] })
  })
})

test('a joining node requests the state and removes its own entries when it stops', async () => {
  const near = await on(a, 'lobby', 'near')
  await near.channel.track({ n: 1 })
  const third = await nodes.add()
  const far = await on(third, 'lobby', 'far')
  await eventually(() => expect(far.present()).toEqual({ near: [1] }))
  await far.channel.track({ n: 2 })
  await eventually(() => expect(near.present()).toEqual({ far: [2], near: [1] }))
  await third.close()
  await eventually(() => expect(near.present()).toEqual({ near: [1] }))
})

async function startChild(topic: string, key: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [PROGRAM, nodes.database.ownUrl], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  const client = createClient(url, a.identity.keys.publishable, { auth: { persistSession: false } })
  onTestFinished(() => void client.realtime.disconnect())
  const { channel } = await member(client.channel(topic, { config: { presence: { key } } }))
  await channel.track({ n: 9 })
  return child
}

test('entries of a killed node disappear within 10 s, and those of a paused node return', async () => {
  const [near, far] = [await on(a, 'failing', 'near'), await on(b, 'failing', 'far')]
  const [killed, paused] = await Promise.all([startChild('failing', 'killed'), startChild('failing', 'paused')])
  const both = { killed: [9], paused: [9] }
  await eventually(() => expect([near.present(), far.present()]).toEqual([both, both]))
  killed.kill('SIGKILL')
  paused.kill('SIGSTOP')
  const since = performance.now()
  await eventually(() => expect([near.present(), far.present()]).toEqual([{}, {}]))
  expect(performance.now() - since).toBeLessThan(10_000)
  expect(near.events.filter((event) => event.includes('killed'))).toEqual([
    'join killed [{"n":9}]',
    'leave killed [{"n":9}]',
  ])
  paused.kill('SIGCONT')
  const back = { paused: [9] }
  await eventually(() => expect([near.present(), far.present()]).toEqual([back, back]))
})
