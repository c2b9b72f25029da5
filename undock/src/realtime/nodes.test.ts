import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { hasNats } from '../testing/nats-server.ts'
import { join } from '../testing/realtime-client.ts'
import { type RealtimeNode, type RealtimeNodes, startRealtimeNodes } from '../testing/realtime-nodes.ts'

const ANNA = '00000000-0000-4000-8000-00000000000a'
const BEN = '00000000-0000-4000-8000-00000000000b'

const SCRIPT = `
  create policy read on realtime.messages for select to authenticated
    using (realtime.topic() = 'club' and (auth.jwt() ->> 'member') = 'true');
  create policy write on realtime.messages for insert to authenticated
    with check (realtime.topic() = 'club' and (auth.jwt() ->> 'writer') = 'true');
`

describe.each(hasNats ? (['postgres', 'nats'] as const) : (['postgres'] as const))('two nodes on %s', (driver) => {
  let nodes: RealtimeNodes
  let a: RealtimeNode
  let b: RealtimeNode
  beforeAll(async () => {
    nodes = await startRealtimeNodes(2, { script: SCRIPT, driver })
    ;[a, b] = nodes.nodes as [RealtimeNode, RealtimeNode]
  })
  afterEach(async () => {
    await nodes.disconnect()
    for (const node of nodes.nodes) expect(node.faults.splice(0)).toEqual([])
  })
  afterAll(() => nodes?.close())

  async function listener(
    node: RealtimeNode,
    topic: string,
    { token, ...config }: { token?: string; private?: boolean; broadcast?: object } = {},
  ) {
    const heard: unknown[] = []
    const channel = node.client(token).channel(topic, { config })
    channel.on('broadcast', { event: '*' }, ({ event, payload }) => heard.push([event, payload]))
    expect(await join(channel)).toBe('SUBSCRIBED')
    return { channel, heard }
  }

  test("a client's broadcast reaches the sockets of both once, but not its sender", async () => {
    const sender = await listener(a, 'room', { broadcast: { ack: true } })
    const [near, far, self] = [
      await listener(a, 'room'),
      await listener(b, 'room'),
      await listener(a, 'room', { broadcast: { self: true } }),
    ]
    for (let n = 1; n <= 50; n++) await sender.channel.send({ type: 'broadcast', event: 'n', payload: { n } })
    await sender.channel.send({ type: 'broadcast', event: 'blob', payload: new Uint8Array([0, 255, 7]).buffer })
    await self.channel.send({ type: 'broadcast', event: 'last', payload: { ü: '😀' } })
    const expected = [
      ...Array.from({ length: 50 }, (_, index) => ['n', { n: index + 1 }]),
      ['blob', expect.any(ArrayBuffer)],
      ['last', { ü: '😀' }],
    ]
    await eventually(() => {
      expect(far.heard).toEqual(expected)
      expect(near.heard).toEqual(expected)
      expect(self.heard).toEqual(expected)
    })
    expect(new Uint8Array((far.heard[50] as [string, ArrayBuffer])[1])).toEqual(new Uint8Array([0, 255, 7]))
    expect(sender.heard).toEqual([['last', { ü: '😀' }]])
  })

  test('an HTTP broadcast reaches the sockets of both', async () => {
    const [near, far] = [await listener(a, 'http'), await listener(b, 'http')]
    expect(await a.client().channel('http').httpSend('one', { n: 1 })).toEqual({ success: true })
    const body = JSON.stringify({ messages: [{ topic: 'http', event: 'two', payload: { long: 'x'.repeat(50_000) } }] })
    const headers = { apikey: a.identity.keys.publishable, 'content-type': 'application/json' }
    expect((await fetch(`${b.url}/realtime/v1/api/broadcast`, { method: 'POST', headers, body })).status).toBe(202)
    const expected = [
      ['one', { n: 1 }],
      ['two', { long: 'x'.repeat(50_000) }],
    ]
    await eventually(() => {
      expect([...far.heard].sort()).toEqual(expected)
      expect([...near.heard].sort()).toEqual(expected)
    })
  })

  test('a private broadcast reaches only authorized readers on the other node, not the public topic', async () => {
    const [member, writer] = [
      await a.token({ sub: ANNA, member: true }),
      await b.token({ sub: BEN, member: true, writer: true }),
    ]
    const far = await listener(a, 'club', { token: member, private: true })
    const open = await listener(a, 'club')
    const sender = await listener(b, 'club', { token: writer, private: true })
    await sender.channel.send({ type: 'broadcast', event: 'secret', payload: { n: 1 } })
    await eventually(() => expect(far.heard).toEqual([['secret', { n: 1 }]]))
    expect(open.heard).toEqual([])
  })

  test('a database message reaches the sockets of both exactly once', async () => {
    const [near, far] = [await listener(a, 'sql'), await listener(b, 'sql')]
    await nodes.database.db.exec(
      `select realtime.send(jsonb_build_object('n', n), 'row', 'sql', false) from generate_series(1, 200) n`,
    )
    await eventually(() => expect([near.heard.length, far.heard.length]).toEqual([200, 200]))
    await a.client().channel('sql').httpSend('end', {})
    await eventually(() =>
      expect([near.heard.at(-1), far.heard.at(-1)]).toEqual([
        ['end', {}],
        ['end', {}],
      ]),
    )
    for (const { heard } of [near, far]) {
      expect(heard).toHaveLength(201)
      expect(heard.slice(0, 200)).toEqual(
        Array.from({ length: 200 }, (_, index) => ['row', { n: index + 1, id: expect.any(String) }]),
      )
    }
  })

  test('foreign notifications neither crash a node nor reach a client', async () => {
    const [near, far] = [
      await listener(a, 'club', { token: await a.token({ sub: ANNA, member: true }), private: true }),
      await listener(b, 'club', { token: await b.token({ sub: ANNA, member: true }), private: true }),
    ]
    const forged = JSON.stringify({ topic: 'club', isPrivate: true, event: 'forged', as: 'text', payload: {} })
    await nodes.database.db.exec(`
      create role eve login; set role eve;
      select pg_notify(channel, payload) from unnest(array['undock_bus', 'realtime_messages', 'realtime_changes',
        'realtime_publication']) channel, unnest(array['', 'x', '#x', repeat('A', 7000),
        encode(convert_to($$${forged}$$, 'utf8'), 'base64'), gen_random_uuid() || ' now', gen_random_uuid() || ' x']) payload;
      reset role; drop role eve;
      select realtime.send('{"n": 1}', 'true', 'club', true)`)
    await eventually(() => {
      for (const { heard } of [near, far]) expect(heard).toEqual([['true', { n: 1, id: expect.any(String) }]])
    })
  })
})
