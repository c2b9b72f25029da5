import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Db } from '../database/db.ts'
import type { Bus } from '../kernel/bus.ts'
import type { Log } from '../kernel/service.ts'
import { openTestDatabase, type TestDatabase, type TestNode } from '../testing/database.ts'
import { eventually } from '../testing/eventually.ts'
import { hasNats, type NatsServer, startNatsServer } from '../testing/nats-server.ts'
import { openLink } from '../testing/network-link.ts'
import { EnvelopeSeal } from './envelope.ts'
import { openNatsBus } from './nats-bus.ts'
import { openPostgresBus, readBusKey } from './postgres-bus.ts'

let database: TestDatabase
let nodes: TestNode[]
let nats: NatsServer | null = null
beforeAll(async () => {
  database = await openTestDatabase()
  nodes = [await database.openNode(), await database.openNode()]
  if (hasNats) nats = await startNatsServer()
})
afterAll(async () => {
  for (const node of nodes ?? []) await node.close()
  await database?.close()
  await nats?.stop()
})

const open: Buses[] = []
afterEach(async () => {
  for (const { a, b } of open.splice(0)) await Promise.all([a.close(), b.close()])
})

type Buses = { readonly a: Bus; readonly b: Bus; readonly logged: string[] }
const DRIVERS = { postgres: openOnPostgres, nats: openOnNats }

async function openOnPostgres(): Promise<Buses> {
  const logged: string[] = []
  const [a, b] = (await Promise.all(nodes.map(({ db }) => openPostgresBus(db, logInto(logged))))) as [Bus, Bus]
  return keep({ a, b, logged })
}

async function openOnNats(): Promise<Buses> {
  const logged: string[] = []
  const options = { url: nats?.url ?? '', key: await readBusKey(database.db), log: logInto(logged), onFetching() {} }
  return keep({ a: await openNatsBus(options), b: await openNatsBus(options), logged })
}

const keep = (buses: Buses): Buses => {
  open.push(buses)
  return buses
}

const logInto = (logged: string[]): Log => ({
  info: (message) => logged.push(message),
  warn: (message) => logged.push(message),
  error: (message) => logged.push(message),
})

function hear(bus: Bus, topic = 'test'): string[] {
  const heard: string[] = []
  bus.subscribe(topic, (message) => heard.push(message.toString()))
  return heard
}

const notify = (db: Db, payload: string) => db.query({ text: "select pg_notify('undock_bus', $1)", values: [payload] })

async function eavesdrop(): Promise<string[]> {
  const payloads: string[] = []
  await database.db.listen('undock_bus', (payload) => payloads.push(payload))
  return payloads
}

describe.each(hasNats ? (['postgres', 'nats'] as const) : (['postgres'] as const))('%s', (driver) => {
  test('delivers small and large messages to the other node in order, without echo', async () => {
    const { a, b } = await DRIVERS[driver]()
    const [heardA, heardB, other] = [hear(a), hear(b), hear(b, 'other')]
    const large = randomBytes(3_000_000).toString('base64').slice(0, 3_000_000)
    const sent = ['1', 'ü😀', large, '', ...Array.from({ length: 500 }, (_, index) => `${index} ${'x'.repeat(99)}`)]
    for (const text of sent) a.publish('test', Buffer.from(text))
    a.publish('other', Buffer.from('elsewhere'))
    await eventually(() => expect(other).toEqual(['elsewhere']))
    expect(heardB).toEqual(sent)
    expect(heardA).toEqual([])
  })

  test('reports nodes that join and leave immediately', async () => {
    const { a, b } = await DRIVERS[driver]()
    const events: string[] = []
    a.onNode((node, event) => events.push(`${event} ${node}`))
    await eventually(() => expect(events).toEqual([`here ${b.node}`]))
    await b.close()
    await eventually(() => expect(events).toEqual([`here ${b.node}`, `gone ${b.node}`]))
  })
})

describe('messages on the channel', () => {
  test('are ignored if invalid, replayed or sealed with another key', async () => {
    const { a, b, logged } = await openOnPostgres()
    const heard = hear(b)
    const payloads = await eavesdrop()
    a.publish('test', Buffer.from('once'))
    await eventually(() => expect(heard).toEqual(['once']))
    const foreign = new EnvelopeSeal(randomBytes(32)).seal({
      node: a.node,
      sequence: 1_000,
      kind: 'messages',
      sentAt: Date.now(),
      messages: [{ topic: 'test', body: Buffer.from('forged') }],
    })
    const rubbish = [
      '',
      'x',
      '#',
      `#${randomUUID()}`,
      "#' or true --",
      randomBytes(900).toString('base64'),
      '😀'.repeat(99),
    ]
    const changed = payloads.map((payload) => `${payload.slice(0, -2)}AA`)
    for (const payload of [...payloads, ...changed, foreign.toString('base64'), ...rubbish])
      await notify(database.db, payload)
    a.publish('test', Buffer.from('twice'))
    await eventually(() => expect(heard).toEqual(['once', 'twice']))
    expect(logged).toEqual([])
  })

  test("can't be read by other roles, nor can the key", async () => {
    const { a, b } = await openOnPostgres()
    const heard = hear(b)
    const payloads = await eavesdrop()
    a.publish('test', Buffer.from('a private message'))
    await eventually(() => expect(heard).toEqual(['a private message']))
    const carried = payloads.map((payload) => Buffer.from(payload, 'base64').toString('latin1')).join()
    expect(carried).not.toContain('private')
    for (const role of ['authenticator', 'service_role', 'supabase_realtime_admin', 'authenticated'])
      for (const table of ['bus_keys', 'bus_envelopes'])
        await expect(
          database.db.exec(`begin; set local role ${role}; select * from _realtime.${table}; rollback`),
        ).rejects.toThrow(/permission denied/)
  })

  test('are accepted from a restarted node even if its process is older', async () => {
    const first = await openOnPostgres()
    await Promise.all([first.a.close(), first.b.close()])
    const { a, b } = await openOnPostgres()
    const heard = hear(b)
    a.publish('test', Buffer.from('new'))
    await eventually(() => expect(heard).toEqual(['new']))
  })
})

test('a node receives messages again after its connection drops', async () => {
  const { a, b } = await openOnPostgres()
  const heard = hear(b)
  await database.db.query({
    text: "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'undock listens'",
    values: [],
  })
  let sent = 0
  await eventually(() => {
    sent += 1
    a.publish('test', Buffer.from(String(sent)))
    expect(heard.length).toBeGreaterThan(0)
  })
})

test.runIf(hasNats)('reports a lost NATS server and reconnects to it', async () => {
  const { a, b, logged } = await openOnNats()
  const events: string[] = []
  a.onNode((_, event) => events.push(event))
  await eventually(() => expect(events).toEqual(['here']))
  await nats?.stop()
  await eventually(() => expect(events).toEqual(['here', 'gone']))
  await eventually(() => expect(logged).toContain('The connection to NATS is lost'))
  await eventually(() =>
    expect(logged.filter((line) => line.startsWith('The bus between the nodes is interrupted'))).toHaveLength(2),
  )
  await nats?.start()
  await eventually(() => expect(events).toEqual(['here', 'gone', 'here']))
  await eventually(() => expect(logged).toContain('The bus between the nodes works again'))
  const heard = hear(b)
  a.publish('test', Buffer.from('again'))
  await eventually(() => expect(heard).toEqual(['again']))
})

test.runIf(hasNats)('reconnects to a NATS server that stopped responding', async () => {
  const link = await openLink(() => nats?.port ?? 0)
  const logged: string[] = []
  const options = {
    key: await readBusKey(database.db),
    log: logInto(logged),
    pingInterval: 300,
    onFetching() {},
  }
  const url = Object.assign(new URL(nats?.url ?? ''), { port: String(link.port) }).href
  const { a, b } = keep({
    a: await openNatsBus({ ...options, url: nats?.url ?? '' }),
    b: await openNatsBus({ ...options, url }),
    logged,
  })
  const heard = hear(b)
  link.strand()
  let sent = 0
  await eventually(() => {
    sent += 1
    a.publish('test', Buffer.from(String(sent)))
    expect(heard.length).toBeGreaterThan(0)
  })
  await link.close()
})
