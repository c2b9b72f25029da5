// Invalid bytes sent to the database port and the pooler, with and without TLS: each connection ends, and others continue. On the
// native engine, the database port is PostgreSQL's own.
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startStack, type TestStack } from '../../src/test-kit/start-stack.ts'
import { makeProject, type TestProject } from '../support/project.ts'

const SSL_REQUEST = 80_877_103
const GSS_REQUEST = 80_877_104
const CANCEL_REQUEST = 80_877_102
const VERSION_3 = 196_608

/** A startup packet. @param length The declared length, if wrong. */
function packet(code: number, body: Buffer | string = '', length?: number): Buffer {
  const content = Buffer.from(body)
  const head = Buffer.alloc(8)
  head.writeUInt32BE((length ?? content.length + 8) >>> 0, 0)
  head.writeUInt32BE(code >>> 0, 4)
  return Buffer.concat([head, content])
}

const STARTUP = 'user\0postgres\0database\0postgres\0\0'

const HOSTILE: [string, Buffer][] = [
  ['a length of 0', packet(VERSION_3, STARTUP, 0)],
  ['a length of 7', packet(VERSION_3, STARTUP, 7)],
  ['a length of 4 GB', packet(VERSION_3, STARTUP, 0xff_ff_ff_ff)],
  ['a length of 2 GB', packet(VERSION_3, STARTUP, 0x7f_ff_ff_ff)],
  ['a length just beyond the limit', packet(VERSION_3, Buffer.alloc(10_100, 'a'))],
  ['unterminated parameters', packet(VERSION_3, 'user\0postgres')],
  ['a name without a value', packet(VERSION_3, 'user\0')],
  ['no parameters', packet(VERSION_3, '\0')],
  ['no user', packet(VERSION_3, 'database\0postgres\0\0')],
  ['a user that is only a tenant', packet(VERSION_3, 'user\0.postgres\0\0')],
  ['a user with two thousand tenants', packet(VERSION_3, `user\0postgres${'.x'.repeat(2_000)}\0\0`)],
  ['invalid UTF-8', packet(VERSION_3, Buffer.from('user\0\xff\xfe\x80\0\0', 'latin1'))],
  ['an ancient protocol', packet(131_072, STARTUP)],
  ['a future protocol', packet(0x7f_ff_00_00, STARTUP)],
  ['a short cancellation', packet(CANCEL_REQUEST, 'abc')],
  ['a cancellation of an unknown session', packet(CANCEL_REQUEST, Buffer.alloc(8, 0xff))],
  ['a cancellation that continues', packet(CANCEL_REQUEST, Buffer.alloc(4_000, 1))],
  ['a TLS request with a body', packet(SSL_REQUEST, 'more')],
  ['a TLS request followed by plain text', Buffer.concat([packet(SSL_REQUEST), packet(VERSION_3, STARTUP)])],
  ['two TLS requests', Buffer.concat([packet(SSL_REQUEST), packet(SSL_REQUEST)])],
  ['endless GSS requests', Buffer.concat(Array.from({ length: 1_000 }, () => packet(GSS_REQUEST)))],
  ['an HTTP request', Buffer.from('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')],
  ['a TLS client hello', Buffer.from('16030100c8010000c40303', 'hex')],
  ['a megabyte of zeros', Buffer.alloc(1_000_000)],
]

/** Writes only the bytes. @returns the response until the server closes the connection */
function attack(port: number, bytes: Buffer, open: (port: number) => Socket = (one) => connect(one, '127.0.0.1')) {
  const socket = open(port)
  return new Promise<Buffer>((resolve, reject) => {
    const answers: Buffer[] = []
    socket.on('data', (answer) => answers.push(answer))
    // The client ends the connection, so a server that waits for more bytes gets none.
    socket.end(bytes)
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (!/^(?:ECONNRESET|EPIPE)$|SSL|TLS/.test(error.code ?? '')) reject(error)
    })
    socket.on('close', () => resolve(Buffer.concat(answers)))
  })
}

/** A TLS socket, requested like Postgres clients do. */
async function overTls(port: number): Promise<Socket> {
  const raw = connect(port, '127.0.0.1')
  raw.write(packet(SSL_REQUEST))
  const [answer] = await new Promise<Buffer[]>((resolve) => raw.once('data', (bytes) => resolve([bytes])))
  expect(answer?.toString()).toBe('S')
  return connectTls({ socket: raw, rejectUnauthorized: false })
}

describe('on PostgreSQL', () => {
  let project: TestProject
  let stack: TestStack
  const urls = () => ({ 'database port': stack.dbUrl, pooler: stack.poolerUrl ?? '' })
  beforeAll(async () => {
    project = await makeProject({ 'config.toml': 'project_id = "ports"\n[db.pooler]\nenabled = true\n' })
    const exclude = ['rest', 'auth', 'storage', 'realtime', 'functions', 'pg', 'mcp', 'mail'] as const
    stack = await startStack({ workdir: project.folder, exclude })
  })
  afterAll(async () => {
    await stack?.stop()
    await project.remove()
  })

  async function isServed(url: string): Promise<void> {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    await client.end()
  }

  test.each(['database port', 'pooler'] as const)(
    'the %s ends each hostile connection and serves others',
    async (name) => {
      const url = urls()[name]
      const port = Number(new URL(url).port)
      for (const [, bytes] of HOSTILE) {
        const answer = await attack(port, bytes)
        // No client reaches a query (ReadyForQuery).
        expect(answer.includes(Buffer.from('5a0000000549', 'hex'))).toBe(false)
      }
      await isServed(url)
    },
  )

  test.each(['database port', 'pooler'] as const)('also over TLS: the %s', async (name) => {
    const url = urls()[name]
    const port = Number(new URL(url).port)
    for (const [, bytes] of HOSTILE) {
      const socket = await overTls(port)
      await attack(port, bytes, () => socket)
    }
    await isServed(url)
  })

  test.each(['database port', 'pooler'] as const)(
    "the %s doesn't treat text sent before TLS as encrypted",
    async (name) => {
      const url = urls()[name]
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      const answers: Buffer[] = []
      socket.on('data', (bytes) => answers.push(bytes))
      socket.on('error', () => undefined)
      // In one write, so an attacker's parameters are in the server's buffer when encryption starts.
      socket.write(Buffer.concat([packet(SSL_REQUEST), packet(VERSION_3, STARTUP)]))
      await new Promise((resolve) => socket.on('close', resolve))
      expect(Buffer.concat(answers).includes(Buffer.from('SCRAM-SHA-256'))).toBe(false)
      await isServed(url)
    },
  )
})
