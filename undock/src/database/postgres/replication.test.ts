import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { ownCertificate } from '../../platform/certificate.ts'
import { openTestDatabase, type TestDatabase, testMajor } from '../../testing/database.ts'
import { provideInstallation } from './installation.ts'

// A replicating role may only load listed output plugins and receive rows of its own database.

const { hasProjectRights } = await provideInstallation(testMajor, () => undefined)
const testWithLibrary = test.skipIf(!hasProjectRights)

let database: TestDatabase
beforeAll(async () => {
  vi.stubEnv('PGAPPNAME', 'of the developer')
  database = await openTestDatabase()
  vi.unstubAllEnvs()
  await run('create database elsewhere template template0')
  await run('create table public.notes (id int primary key); create publication notes for table public.notes')
  await run('create extension dblink schema extensions')
})
afterAll(() => database?.close())

/** Runs scripts in a session of `postgres`. @returns the last one's rows. */
async function run(scripts: string | readonly string[], options: Record<string, string> = {}) {
  const { database: name = 'postgres', ...others } = options
  const connectionString = Object.assign(new URL(database.url), { pathname: `/${name}` }).href
  const client = new pg.Client({ connectionString, ...others } as pg.ClientConfig)
  await client.connect()
  try {
    let rows: Record<string, unknown>[] = []
    for (const script of [scripts].flat()) rows = (await client.query(script)).rows
    return rows
  } finally {
    await client.end()
  }
}

const replicate = (scripts: string | readonly string[], options?: string) =>
  run(scripts, { replication: 'database', ...(options ? { options } : {}) })

const PLUGIN = '/tmp/plugin.so'
const SLOT = `CREATE_REPLICATION_SLOT a TEMPORARY LOGICAL "${PLUGIN}"`

testWithLibrary.each([
  `select pg_create_logical_replication_slot('a', '${PLUGIN}')`,
  `select pg_catalog.pg_create_logical_replication_slot(plugin => '../../tmp/plugin', slot_name => 'a', temporary => true)`,
  `select * from pg_create_logical_replication_slot('a', 'plpgsql', true, false)`,
  `select undock_builtin_pg_create_logical_replication_slot('a', '${PLUGIN}')`,
  `do $$ declare p name := '${PLUGIN}'; begin execute 'select pg_create_logical_replication_slot($1, $2)' using 'a', p; end $$`,
  `prepare p(name) as select pg_create_logical_replication_slot('a', $1, true); execute p('${PLUGIN}')`,
  `create table public.t (a int, b pg_lsn default (pg_create_logical_replication_slot('a', '${PLUGIN}')).lsn); insert into public.t values (1)`,
  `set search_path = public; create function public.pg_create_logical_replication_slot(name, name) returns record
     language sql as $$ select undock_builtin_pg_create_logical_replication_slot($1, $2) $$;
   select public.pg_create_logical_replication_slot('a', '${PLUGIN}')`,
  `select pg_create_logical_replication_slot('b', 'pgoutput', true); select pg_copy_logical_replication_slot('b', 'a', true, '${PLUGIN}')`,
  `select undock_builtin_pg_copy_logical_replication_slot('b', 'a', true, '${PLUGIN}')`,
])('in SQL: %s', async (script) => {
  await expect(run(script)).rejects.toMatchObject({ code: '42501' })
})

testWithLibrary.each([
  [SLOT],
  [SLOT.replaceAll(' ', '\n\t')],
  [`CREATE_REPLICATION_SLOT "a" LOGICAL "${PLUGIN}" (SNAPSHOT 'nothing', TWO_PHASE);`],
  ['CREATE_REPLICATION_SLOT a LOGICAL plpgsql'],
  ['CREATE_REPLICATION_SLOT a LOGICAL "PGOUTPUT"'],
  ['CREATE_REPLICATION_SLOT a LOGICAL "pgoutput/../x"'],
  ['set log_min_messages = panic', SLOT],
  ["select set_config('log_min_messages', 'fatal', false)", SLOT],
  ['BASE_BACKUP'],
  ["BASE_BACKUP (TARGET 'server', TARGET_DETAIL '/tmp/copy')"],
  ['START_REPLICATION 0/1000000'],
  ['CREATE_REPLICATION_SLOT p TEMPORARY PHYSICAL', 'START_REPLICATION SLOT p PHYSICAL 0/1000000'],
])('over the replication protocol: %s', async (...scripts) => {
  await expect(replicate(scripts)).rejects.toMatchObject({ code: '42501' })
})

testWithLibrary('a refusal over the replication protocol names the plugin', async () => {
  await expect(replicate(SLOT)).rejects.toThrow(`output plugin "${PLUGIN}" is not allowed`)
})

testWithLibrary('settings of the role and of the connection do not help', async () => {
  await run('alter role postgres set log_min_messages = panic')
  await expect(replicate(SLOT)).rejects.toMatchObject({ code: '42501' })
  await run('alter role postgres reset log_min_messages')
  await expect(replicate(SLOT, '-c log_min_messages=panic')).rejects.toMatchObject({ code: '42501' })
  for (const locksOut of ['role postgres', 'database postgres', 'role all'])
    await expect(run(`alter ${locksOut} set local_preload_libraries = 'x'`)).rejects.toMatchObject({ code: '42501' })
  await expect(
    run(`select pg_create_logical_replication_slot('a', '${PLUGIN}')`, { database: 'elsewhere' }),
  ).rejects.toMatchObject({ code: '42501' })
})

testWithLibrary('known plugins are used in SQL and over the protocol', async () => {
  const slots = await run([
    "select pg_create_logical_replication_slot('one', 'test_decoding')",
    "select pg_copy_logical_replication_slot('one', 'two', true, 'pgoutput')",
    'set synchronous_commit = on; insert into public.notes values (1)',
    "select data from pg_logical_slot_get_changes('one', null, null) where data ~ 'notes'",
  ])
  expect(slots).toEqual([{ data: 'table public.notes: INSERT: id[integer]:1' }])
  await run("select pg_drop_replication_slot('one')")
  expect(
    await replicate(['CREATE_REPLICATION_SLOT "three" TEMPORARY LOGICAL pgoutput', 'IDENTIFY_SYSTEM']),
  ).toMatchObject([{ dbname: 'postgres' }])
})

test("a connection that the server opens ignores the developer's variables and files", async () => {
  const { port } = new URL(database.url)
  const connection = `host=127.0.0.1 port=${port} user=postgres password=postgres dbname=postgres`
  expect(
    await run(`select * from extensions.dblink('${connection}', 'show application_name') as row (name text)`),
  ).toEqual([{ name: '' }])
})

test.runIf(testMajor >= 18)('a connection that the server opens writes no file of TLS keys', async () => {
  for (const setting of [
    'sslkeylogfile=/tmp/keys',
    "password='x'sslkeylogfile = /tmp/keys",
    'service=a servicefile=/tmp/a',
  ])
    for (const call of ['dblink_connect($1)', "dblink_connect('a', $1)", "dblink_exec($1, 'select 1')"])
      await expect(run(`select extensions.${call.replace('$1', () => `$$${setting}$$`)}`)).rejects.toMatchObject({
        code: '23514',
      })
  await run('create extension dblink', { database: 'elsewhere' })
  await expect(
    run("select dblink_connect('sslkeylogfile=/tmp/keys')", { database: 'elsewhere' }),
  ).rejects.toMatchObject({ code: '23514' })
  await expect(
    run('alter domain extensions.dblink_connection drop constraint dblink_connection_check'),
  ).rejects.toMatchObject({ code: '42501' })
  const escaped = 'postgresql://127.0.0.1/postgres?sslkeylog%66ile=/tmp/keys'
  await expect(run(`select extensions.dblink_connect('${escaped}')`)).rejects.toMatchObject({ code: '23514' })
  await expect(
    run("create subscription s connection 'sslkeylogfile=/tmp/keys' publication p with (connect = false)"),
  ).rejects.toMatchObject({ code: '42501' })
})

testWithLibrary('a connection that the server opens loads no engine of OpenSSL', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'undock-engine-'))
  const server = createServer((socket) => socket.on('error', () => undefined).once('data', () => socket.end('S')))
  server.listen(0, '127.0.0.1')
  try {
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    await chmod(folder, 0o755)
    await writeFile(join(folder, 'cert.pem'), (await ownCertificate(null, ['127.0.0.1'], new Date())).cert)
    const connection = `host=127.0.0.1 port=${port} user=a password=b dbname=c sslmode=require sslcert=${folder}/cert.pem sslkey=${PLUGIN}:key`
    await expect(run(`select extensions.dblink_connect('a', '${connection}')`)).rejects.toMatchObject({
      detail: expect.stringMatching(/could not load SSL engine .*: no such engine/),
    })
  } finally {
    server.close()
    await rm(folder, { recursive: true })
  }
})
