import { once } from 'node:events'
import { connect as connectTo, type Socket } from 'node:net'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testCertificate } from '../../testing/certificate.ts'
import { type EmbeddedTestDatabase, openEmbeddedTestDatabase } from '../../testing/database.ts'
import { startWireServer, type WireServer, type WireServerOptions } from './listener.ts'

// What is no client of Postgres, or one that means harm: it is sent away, the process continues, and others are served.

/** How many connections the random ones are. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 300)
const SEED = Number(process.env.FUZZ_SEED ?? 15)

const faults: unknown[] = []
const log = { info() {}, warn() {}, error: (...told: unknown[]) => void faults.push(told) }
const LARGEST = 1024 ** 2

let database: EmbeddedTestDatabase
let wire: WireServer
let good: pg.Client
let reopened = 0
const settings = (more: Partial<WireServerOptions> = {}): WireServerOptions => ({
  ...database,
  host: '127.0.0.1',
  port: 0,
  password: 'postgres',
  idleInTransactionTimeout: 60,
  maxConnections: 20,
  maxMessageSize: LARGEST,
  certificate: testCertificate,
  log,
  ...more,
})

beforeAll(async () => {
  database = await openEmbeddedTestDatabase('create table public.kept (id int); insert into public.kept values (7)')
  database.engine.onReopened(() => {
    reopened += 1
  })
  wire = await startWireServer(settings())
  good = await login(wire)
})
afterAll(async () => {
  await good.end()
  await wire.close()
  await database.close()
  expect(faults).toEqual([])
})

async function login({ port }: WireServer): Promise<pg.Client> {
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user: 'postgres',
    password: 'postgres',
    database: 'postgres',
  })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

const message = (type: string, body: Buffer | string = '', length?: number): Buffer => {
  const bytes = Buffer.from(body)
  const head = Buffer.alloc(5)
  head.write(type, 'latin1')
  head.writeUInt32BE((length ?? bytes.length + 4) >>> 0, 1)
  return Buffer.concat([head, bytes])
}
const startup = (body: Buffer | string, code = 196_608, length?: number): Buffer => {
  const bytes = Buffer.from(body)
  const head = Buffer.alloc(8)
  head.writeUInt32BE((length ?? bytes.length + 8) >>> 0)
  head.writeUInt32BE(code, 4)
  return Buffer.concat([head, bytes])
}

/** All that is answered until the connection ends. */
async function send(bytes: Buffer, port = wire.port): Promise<string> {
  const socket = connectTo(port, '127.0.0.1')
  let answer = ''
  socket
    .on('error', () => undefined)
    .on('data', (part) => {
      answer += part.toString('latin1')
    })
  await once(socket, 'connect')
  socket.write(bytes)
  await once(socket, 'close')
  return answer
}

/** The socket of a client that has logged in, to write to it what node-postgres would not. */
async function insider(at = wire): Promise<{ socket: Socket; closed: Promise<string> }> {
  const client = await login(at)
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  stream.removeAllListeners('data')
  let answer = ''
  stream.on('data', (part: Buffer) => {
    answer += part.toString('latin1')
  })
  return { socket: stream, closed: once(stream, 'close').then(() => answer) }
}

async function othersAreServed(): Promise<void> {
  expect((await good.query('select id from public.kept where id = 7 limit 1')).rows).toEqual([{ id: 7 }])
  const { rows } = await database.db.query({ text: 'select session_user::text as who', values: [] })
  expect(rows).toEqual([{ who: 'supabase_admin' }])
}

test.each([
  ['a startup packet that is too long', startup('', 196_608, 10_001), 'invalid length of startup packet'],
  ['one of a gigabyte', startup('', 196_608, 2 ** 30), 'invalid length of startup packet'],
  ['one that is shorter than itself', startup('', 196_608, 3), 'invalid length of startup packet'],
  ['an HTTP request', Buffer.from('GET / HTTP/1.1\r\nhost: x\r\n\r\n'), 'invalid length of startup packet'],
  ['a name without an end', startup('user'), 'invalid string in message'],
  ['no user', startup('\0'), 'no PostgreSQL user name'],
  ['another protocol', startup('user\0postgres\0\0', 131_072), 'unsupported frontend protocol 2.0'],
  [
    'a password message of a gigabyte',
    Buffer.concat([startup('user\0postgres\0\0'), message('p', '', 2 ** 30)]),
    'invalid message length',
  ],
  ['a password in the clear after a request for TLS', startup('\0\0\0\0', 80_877_103, 8), 'received unencrypted data'],
  ['a query before the password', Buffer.concat([startup('user\0postgres\0\0'), message('Q', 'select 1\0')]), '08P01'],
])('%s', async (_name, bytes, answer) => {
  expect(await send(bytes)).toContain(answer)
  await othersAreServed()
})

test.each([
  ['a type that there is not', message('!'), 'invalid frontend message type 33'],
  ['a password again', message('p', 'x\0'), 'unexpected message type "p"'],
  ['a length below its own', message('Q', '', 0), 'invalid message length'],
  ['a length beyond all bounds', message('Q', '', 2 ** 32 - 1), 'invalid message length'],
  ['a message beyond the limit', message('Q', '', LARGEST + 1), 'C54000'],
  [
    'many messages beyond it, without a Sync',
    Buffer.concat(Array(40).fill(message('P', `\0select '${'x'.repeat(30_000)}'\0\0\0`))),
    'C54000',
  ],
])('of a client that has logged in, %s', async (_name, bytes, answer) => {
  const { socket, closed } = await insider()
  socket.write(bytes)
  expect(await closed).toContain(answer)
  await othersAreServed()
})

test('a client that asks for TLS and then speaks none is disconnected, and so is one that says nothing', async () => {
  // Made before: making it takes longer than this server waits.
  const certificate = await testCertificate()
  const hasty = await startWireServer(settings({ authenticationTimeout: 500, certificate: async () => certificate }))
  for (const words of ['GET / HTTP/1.1\r\n\r\n', '']) {
    const socket = connectTo(hasty.port, '127.0.0.1')
    socket.write(startup('', 80_877_103))
    expect(String((await once(socket, 'data'))[0])).toBe('S')
    if (words) socket.write(words)
    await once(socket.resume(), 'close')
  }
  await hasty.close()
  await othersAreServed()
})

test('a client that does not log in is disconnected after a while', async () => {
  const hasty = await startWireServer(settings({ authenticationTimeout: 50 }))
  const silent = connectTo(hasty.port, '127.0.0.1')
  const slow = connectTo(hasty.port, '127.0.0.1')
  slow.write(startup('user\0postgres\0\0'))
  await Promise.all([once(silent, 'close'), once(slow.resume(), 'close')])
  await hasty.close()
})

test('connections that are logging in count for the limit, too', async () => {
  const narrow = await startWireServer(settings({ maxConnections: 2 }))
  const open = Array.from({ length: 4 }, () => connectTo(narrow.port, '127.0.0.1'))
  await Promise.all(open.map((socket) => once(socket, 'connect')))
  // All four have been taken when the fifth is.
  await expect(send(Buffer.alloc(0), narrow.port)).resolves.toContain('53300')
  for (const socket of open) socket.destroy()
  await narrow.close()
})

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const VALID: readonly Buffer[] = [
  message('Q', 'select 1\0'),
  message('Q', 'begin\0'),
  message('P', 's\0select $1::int\0\0\0'),
  message('B', Buffer.from('\0s\0\0\0\0\x01\0\0\0\x011\0\0')),
  message('D', 'Ss\0'),
  message('E', Buffer.from('\0\0\0\0\0')),
  message('C', 'Ss\0'),
  message('F', Buffer.from('\0\0\x06\x6b\0\0\0\0\0\0')),
  message('Q', 'copy public.kept from stdin\0'),
  message('d', '1\n'),
  message('c'),
  message('f', 'no\0'),
  message('H'),
  message('S'),
]

test(`${RUNS} connections that send random and truncated messages (seed ${SEED})`, async () => {
  const next = random(SEED)
  const below = (limit: number): number => Math.floor(next() * limit)
  const bytes = (length: number): Buffer => Buffer.from(Array.from({ length }, () => below(256)))
  const garbled = (): Buffer => {
    const one = Buffer.from(VALID[below(VALID.length)] as Buffer)
    switch (below(4)) {
      case 0:
        return one
      case 1:
        // Of another content, and a length that is right.
        return message(String.fromCharCode(one[0] as number), bytes(below(40)))
      case 2:
        for (let flips = 1 + below(4); flips > 0; flips--) one[below(one.length)] = below(256)
        return one
      default:
        return one.subarray(0, below(one.length))
    }
  }
  for (let run = 0; run < RUNS; run++) {
    if (run % 3 === 0) {
      const socket = connectTo(wire.port, '127.0.0.1')
      socket.on('error', () => undefined).resume()
      await once(socket, 'connect')
      socket.end(
        run % 2 === 0 ? bytes(below(200)) : Buffer.concat([startup('user\0postgres\0\0'), garbled(), garbled()]),
      )
      await once(socket, 'close')
    } else {
      const { socket, closed } = await insider()
      for (let count = 1 + below(8); count > 0 && !socket.destroyed; count--) socket.write(garbled())
      socket.end(message('X'))
      await closed
    }
    if (run % 20 === 0) await othersAreServed()
  }
  await othersAreServed()
  expect(reopened).toBe(0)
}, 600_000)
