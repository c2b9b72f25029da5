import { execFile, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { userCacheFolder } from '../../platform/cache-folder.ts'
import { testCertificate } from '../../testing/certificate.ts'
import { type EmbeddedTestDatabase, openEmbeddedTestDatabase } from '../../testing/database.ts'
import { createDb } from '../engine-db.ts'
import { bootstrapSnapshot } from '../pglite/bootstrap-snapshot.ts'
import { openEngine } from '../pglite/engine.ts'
import { openSnapshotStore } from '../snapshot-store.ts'
import { startWireServer, type WireServer, type WireServerOptions } from './listener.ts'

const run = promisify(execFile)
const settings = {
  host: '127.0.0.1',
  port: 0,
  password: 'postgres',
  idleInTransactionTimeout: 60,
  maxConnections: 20,
  maxMessageSize: 64 * 1024 ** 2,
  certificate: testCertificate,
  log: { info() {}, warn() {}, error() {} },
} satisfies Partial<WireServerOptions>

let database: EmbeddedTestDatabase
let wire: WireServer
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'undock-wire-'))
  database = await openEmbeddedTestDatabase()
  wire = await startWireServer({ ...database, ...settings })
})
afterAll(async () => {
  await wire.close()
  await database.close()
  rmSync(folder, { recursive: true })
})

const url = () => `postgresql://postgres:postgres@127.0.0.1:${wire.port}/postgres`
const hasPsql = spawnSync('psql', ['--version']).status === 0

describe.skipIf(!hasPsql)('psql', () => {
  const psql = (script: string) =>
    new Promise<{ stdout: string; stderr: string }>((resolve) => {
      const child = execFile('psql', ['-X', '-q', '-A', '-t', url()], (_error, stdout, stderr) =>
        resolve({ stdout, stderr }),
      )
      child.stdin?.end(script)
    })

  test('Ctrl-C cancels the statement, and psql continues', async () => {
    const child = execFile('psql', ['-X', '-A', '-t', url(), '-c', '\\echo begun', '-c', 'select pg_sleep(600)'])
    let told = ''
    child.stderr?.on('data', (text) => {
      told += text
    })
    child.stdout?.once('data', () => setTimeout(() => child.kill('SIGINT'), 500))
    const [code] = await once(child, 'close')
    expect([code, told]).toEqual([1, 'Cancel request sent\nERROR:  canceling statement due to user request\n'])
  })

  test('\\copy, COPY, \\d and steps of FETCH_COUNT', async () => {
    writeFileSync(join(folder, 'rows.csv'), '1,one\n2,"two, too"\n')
    const { stdout, stderr } = await psql(`
create table public.c (a int primary key, b text);
\\copy c from ${join(folder, 'rows.csv')} csv
copy c from stdin;
3\tthree
\\.
begin;
copy c from stdin;
4\tfour
\\.
rollback;
\\copy c to stdout csv
\\set FETCH_COUNT 2
select a from c order by a;
\\d c
copy nowhere from stdin;
copy c from stdin;
x\tbad
\\.
select 'still here';
`)
    expect(stdout).toBe('1,one\n2,"two, too"\n3,three\n1\n2\n3\na|integer||not null|\nb|text|||\nstill here\n')
    expect(stderr).toBe(
      'ERROR:  relation "nowhere" does not exist\nERROR:  invalid input syntax for type integer: "x"\nCONTEXT:  COPY c, line 1, column a: "x"\n',
    )
  })
})

describe('the Supabase CLI', () => {
  const cli = join(dirname(createRequire(import.meta.url).resolve('supabase/package.json')), 'dist/supabase.js')
  const supabase = async (...words: string[]) => {
    const options = {
      cwd: folder,
      env: { ...process.env, HOME: folder, SUPABASE_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' },
    }
    const { stdout, stderr } = await run(process.execPath, [cli, ...words, `--remote=${url()}`], options)
    return stdout + stderr
  }

  test('db push, migration list, db query and gen types', async () => {
    mkdirSync(join(folder, 'supabase/migrations'), { recursive: true })
    writeFileSync(join(folder, 'supabase/config.toml'), 'project_id = "wire"\n')
    writeFileSync(
      join(folder, 'supabase/migrations/20260101000000_books.sql'),
      "create table public.books (id int primary key, title text not null);\ninsert into public.books values (1, 'one; two');\n",
    )
    expect(await supabase('db', 'push', '--yes')).toContain('Applying migration 20260101000000_books.sql')
    const [list, query, types] = await Promise.all([
      supabase('migration', 'list'),
      supabase('db', 'query', 'select title from books', '--read-only'),
      supabase('gen', 'types', '--lang', 'typescript', '--schema', 'public'),
    ])
    expect(list).toMatch(/`20260101000000` \| `20260101000000`/)
    expect(query).toContain('one; two')
    expect(types).toMatch(/"books": {\s+Row: {\s+"id": number,"title": string/)
  })
})

describe('hostile input', () => {
  const send = (bytes: Buffer) =>
    new Promise<string>((resolve, reject) => {
      const chunks: Buffer[] = []
      const socket = connect(wire.port, '127.0.0.1', () => socket.write(bytes))
      socket.on('data', (chunk: Buffer) => chunks.push(chunk))
      socket.on('error', reject)
      socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')))
    })
  const startup = (code: number, body = '') => {
    const packet = Buffer.alloc(8 + Buffer.byteLength(body))
    packet.writeInt32BE(packet.length)
    packet.writeInt32BE(code, 4)
    packet.write(body, 8)
    return packet
  }

  test.each([
    ['a web request', Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'), 'invalid length of startup packet'],
    ['a length of nothing', Buffer.alloc(8), 'invalid length of startup packet'],
    ['version 2 of the protocol', startup(2 << 16), 'unsupported frontend protocol 2.0'],
    ['no user', startup(3 << 16, 'database\0postgres\0\0'), 'no PostgreSQL user name'],
    ['a string without an end', startup(3 << 16, 'user'), 'invalid string in message'],
    [
      'a query before the password',
      Buffer.concat([startup(3 << 16, 'user\0postgres\0\0'), Buffer.from('Q\0\0\0\x0dselect 1\0')]),
      'expected a password',
    ],
    [
      'a password of many megabytes',
      Buffer.concat([startup(3 << 16, 'user\0postgres\0\0'), Buffer.from('p\x0f\0\0\0')]),
      'invalid message length',
    ],
  ])('%s is disconnected', async (_name, bytes, message) => expect(await send(bytes)).toContain(message))

  test('a cancel request gets no response', async () => expect(await send(startup(80_877_102, 'pid_key_'))).toBe(''))
})

test('an endless statement is ended, and its client keeps its prepared statements', async () => {
  const { path } = await bootstrapSnapshot(openSnapshotStore(userCacheFolder(process.env), 3))
  const engine = await openEngine({ folder: null, snapshot: path, statementLimit: 4_000, waitLimit: 20_000 })
  const own = await startWireServer({ engine, db: createDb(engine), ...settings })
  const client = new pg.Client({ connectionString: `postgresql://postgres:postgres@127.0.0.1:${own.port}/postgres` })
  await client.connect()
  const prepared = () =>
    client.query({ name: 'kept', text: 'select $1::int as n', values: [1] }).then(({ rows }) => rows)
  expect(await prepared()).toEqual([{ n: 1 }])
  const onReopened = vi.fn()
  engine.onReopened(onReopened)
  await expect(client.query('do $$ begin loop end loop; end $$')).rejects.toMatchObject({
    code: '57014',
    hint: expect.stringContaining('Raise statement_timeout under [limits] in supabase/undock.toml'),
  })
  expect(onReopened).not.toHaveBeenCalled()
  expect(await prepared()).toEqual([{ n: 1 }])
  await client.end()
  await own.close()
  await engine.close()
})

test('a port in use is an error', async () => {
  await expect(startWireServer({ ...database, ...settings, port: wire.port })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  })
})
