import pg from 'pg'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testCertificate } from '../../testing/certificate.ts'
import { type EmbeddedTestDatabase, openEmbeddedTestDatabase } from '../../testing/database.ts'
import { applyMigrations } from '../migrations/apply.ts'
import { startWireServer, type WireServer } from '../wire-server/listener.ts'

let database: EmbeddedTestDatabase
let wire: WireServer
let client: pg.Client
let url: string

beforeAll(async () => {
  database = await openEmbeddedTestDatabase('create table public.notes (id int)')
  wire = await startWireServer({
    ...database,
    host: '127.0.0.1',
    port: 0,
    password: 'postgres',
    idleInTransactionTimeout: 60,
    maxConnections: 20,
    maxMessageSize: 64 * 1024 ** 2,
    certificate: testCertificate,
    log: { info() {}, warn() {}, error() {} },
  })
  url = `postgres://postgres:postgres@127.0.0.1:${wire.port}/postgres`
  client = new pg.Client(url)
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await wire.close()
  await database.close()
})

const refusal = (command: string) => ({
  code: '0A000',
  message: `${command} does not work on PGlite, which has one database, "postgres"`,
  hint: expect.stringContaining('engine = "native" in supabase/undock.toml'),
})

test.each([
  ['create database other', 'CREATE DATABASE'],
  ['CREATE /* a /* nested */ comment */ DATABASE other', 'CREATE DATABASE'],
  ['-- first\ndrop database if exists other;', 'DROP DATABASE'],
  ["insert into notes values (1); select ';'; create database other", 'CREATE DATABASE'],
])('%s of a client is refused, by the simple and the extended protocol', async (text, command) => {
  await expect(client.query(text)).rejects.toMatchObject(refusal(command))
  if (!text.includes(';')) {
    await expect(client.query({ name: text, text, values: [] })).rejects.toMatchObject(refusal(command))
    const sql = postgres(url, { max: 1 })
    await expect(sql.unsafe(text, [], { prepare: true })).rejects.toMatchObject(refusal(command))
    await sql.end()
  }
  expect((await client.query('select count(*)::int as n from notes')).rows).toEqual([{ n: 0 }])
})

test('a transaction around the statement fails', async () => {
  await client.query('begin')
  await expect(client.query('create database other')).rejects.toMatchObject(refusal('CREATE DATABASE'))
  await expect(client.query('select 1')).rejects.toMatchObject({ code: '25P02' })
  await client.query('rollback')
})

test('a migration and the stack itself are refused too', async () => {
  const text = 'create table public.kept (id int);\ncreate database other;'
  const migration = { version: '1', name: 'test', path: 'supabase/migrations/1_test.sql', text }
  await expect(applyMigrations(database.engine, [migration], () => undefined)).rejects.toThrow(
    'supabase/migrations/1_test.sql:2: CREATE DATABASE does not work on PGlite',
  )
  await expect(database.db.exec('create database other')).rejects.toMatchObject(refusal('CREATE DATABASE'))
})

test('statements that only contain the words run', async () => {
  await client.query("comment on database postgres is 'create database other'")
  expect((await client.query("select 'drop database x' as text")).rows).toEqual([{ text: 'drop database x' }])
  await client.query('create table public.database (id int); drop table public.database')
})
