// Imports that are rejected or cancelled change nothing.
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { runCli } from '../../src/cli/run-cli.ts'
import { openSource, withEncryption } from '../../src/project-tools/import/source.ts'
import { type ImportSide, query, startSide, stopSide } from '../support/import-sides.ts'
import { makeProject } from '../support/project.ts'

const NOTES = `
  create table public.notes (id int primary key, text text not null, author uuid references auth.users (id), wide bigint);
  create table public.parts (id int primary key, note int);`

let source: ImportSide
let target: ImportSide
let told = ''
beforeAll(async () => {
  source = await startSide({
    'migrations/1_a.sql': `${NOTES}
      insert into public.notes values (1, 'one', null, 1), (2, 'two', null, 2);
      alter table public.notes add column only_there text;
      create table public.unknown (id int);
      insert into public.parts values (1, 1), (2, 99);
      insert into storage.buckets (id, name) values ('files', 'files');
      insert into storage.objects (bucket_id, name) values ('files', 'a.txt');
      create role reader login password 'reader';
      grant usage on schema public to reader;
      grant select on all tables in schema public to reader;
      create table public.locked (id int);
      insert into public.locked values (1);
      alter table public.locked enable row level security;
      grant select on public.locked to reader;`,
  })
  target = await startSide({
    'migrations/1_a.sql': `${NOTES}
      alter table public.parts add foreign key (note) references public.notes (id);
      alter table public.notes add column only_here text default 'here';
      create table public.locked (id int);
      create table public.missing (id int);
      create table public.narrow (id int);`,
  })
})
afterAll(async () => {
  await stopSide(source)
  await stopSide(target)
})
beforeEach(async () => {
  told = ''
  vi.spyOn(console, 'error').mockImplementation((text) => {
    told += `${text}\n`
  })
  await query(target, "truncate public.notes, public.parts; insert into public.notes values (7, 'kept')")
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

const undockImport = (...words: string[]) =>
  runCli(['import', '--db-url', source.stack.dbUrl, '--workdir', target.project.folder, ...words])
const expectUnchanged = async () =>
  expect(await query(target, 'select id, text from public.notes')).toEqual([{ id: 7, text: 'kept' }])

test('never writes to the source, even with a role that could', async () => {
  const client = await openSource(source.stack.dbUrl)
  try {
    for (const write of [
      "insert into public.notes values (3, 'three')",
      'delete from public.notes',
      'create table public.more ()',
      "select nextval('auth.refresh_tokens_id_seq')",
    ]) {
      await client.query('savepoint before')
      await expect(client.query(write), write).rejects.toMatchObject({ code: '25006' })
      await client.query('rollback to before')
    }
    await expect(client.query('set transaction read write')).rejects.toMatchObject({ code: '25001' })
    await client.query('rollback')
    // Also after it ends.
    await expect(client.query('delete from public.notes')).rejects.toMatchObject({ code: '25006' })
  } finally {
    await client.end()
  }
  const other = new pg.Client(source.stack.dbUrl)
  await other.connect()
  expect((await other.query('update public.notes set text = text')).rowCount).toBe(2)
  await other.end()
})

test('an error names a table that the source lacks, and --exclude skips it', async () => {
  expect(await undockImport('--yes', '--replace')).toBe(1)
  expect(told).toContain('The source has no table public.missing, public.narrow.')
  await expectUnchanged()
  expect(await undockImport('--yes', '--replace', '-x', 'missing,narrow,parts'), told).toBe(0)
  expect(told).toContain('public.notes: the source has no only_here; the default is used')
  expect(told).toContain('public.notes: only the source has only_there; left out')
  expect(told).toContain('No migration creates public.unknown; left out')
  expect(await query(target, 'select id, text, only_here from public.notes order by id')).toEqual([
    { id: 1, text: 'one', only_here: 'here' },
    { id: 2, text: 'two', only_here: 'here' },
  ])
})

test('rows with broken references abort the import and leave nothing', async () => {
  expect(await undockImport('--yes', '--replace', '--tables', 'parts')).toBe(1)
  expect(told).toContain(
    'Rows of public.parts refer to rows of public.notes that the source does not have (parts_note_fkey)',
  )
  await expectUnchanged()
})

test("a value that doesn't fit aborts the import and leaves nothing", async () => {
  await query(target, 'alter table public.notes add constraint short check (length(text) < 3) not valid')
  try {
    expect(await undockImport('--yes', '--replace', '--tables', 'notes')).toBe(1)
    expect(told).toMatch(/public\.notes: .*violates check constraint "short"/)
    await expectUnchanged()
  } finally {
    await query(target, 'alter table public.notes drop constraint short')
  }
})

test('changes nothing without confirmation or --yes', async () => {
  expect(await undockImport('--replace', '--tables', 'notes')).toBe(2)
  expect(told).toMatch(/Emptied first: .*auth\.sessions, .*public\.notes, public\.parts\n/)
  expect(told).toContain('Confirm with --yes')
  expect(told).not.toContain('It is kept')
  await expectUnchanged()
})

test('rejects a source that hides rows from its reader', async () => {
  const url = new URL(source.stack.dbUrl)
  Object.assign(url, { username: 'reader', password: 'reader' })
  expect(
    await runCli([
      'import',
      '--db-url',
      url.href,
      '--workdir',
      target.project.folder,
      '--yes',
      '--replace',
      '--tables',
      'locked',
    ]),
  ).toBe(1)
  expect(told).toContain('row-level security')
})

test('writes only to an undock database on this machine', async () => {
  vi.stubEnv('SUPABASE_DB_URL', 'postgresql://postgres:hidden@db.example.com:5432/postgres')
  expect(await undockImport('--yes')).toBe(1)
  expect(told).toContain('on this machine, but this backend uses db.example.com')
  vi.stubEnv('SUPABASE_DB_URL', `${target.stack.dbUrl}?host=db.example.com`)
  expect(await undockImport('--yes')).toBe(1)
  vi.stubEnv('SUPABASE_DB_URL', target.stack.dbUrl.replace(/\/postgres$/, '/template1'))
  expect(await undockImport('--yes')).toBe(1)
  vi.stubEnv('SUPABASE_DB_URL', source.stack.dbUrl.replace('127.0.0.1', 'localhost'))
  expect(await undockImport('--yes')).toBe(1)
  expect(told).toContain('The source and the local database are the same')
  expect(told).not.toContain('hidden')
  vi.stubEnv('SUPABASE_DB_URL', undefined)
  const other = await makeProject({
    'undock.toml': 'database_url = "postgresql://postgres:hidden@db.example.org/postgres"\n',
  })
  expect(await runCli(['import', '--db-url', source.stack.dbUrl, '--workdir', other.folder, '--yes'])).toBe(1)
  expect(told).toContain('this backend uses db.example.org')
  await other.remove()
})

test('the error for an unreachable source omits its password', async () => {
  const url = 'postgresql://postgres:hidden@127.0.0.1:1/postgres'
  expect(await runCli(['import', '--db-url', url, '--workdir', target.project.folder, '--yes'])).toBe(1)
  expect(told).toContain("Couldn't connect to the source")
  expect(told).not.toContain('hidden')
})

test('requires encryption to a remote source unless its URL says otherwise', () => {
  const modes = ['', '?sslmode=disable', '?sslmode=verify-full'].map((query) =>
    new URL(withEncryption(`postgresql://me:p%40ss@db.example.com/postgres${query}`)).searchParams.get('sslmode'),
  )
  expect(modes).toEqual(['require', 'disable', 'verify-full'])
  expect(withEncryption('postgresql://me@localhost/postgres')).toBe('postgresql://me@localhost/postgres')
})

test('imports from an encrypted source', async () => {
  const url = `${source.stack.dbUrl}?sslmode=require`
  const words = ['--yes', '--replace', '--tables', 'notes', '--workdir', target.project.folder]
  expect(await runCli(['import', '--db-url', url, ...words]), told).toBe(0)
})

test.each(['db.example.com', 'https://db.example.com', 'postgresql://me:p@s s@/#@db.example.com:x/postgres'])(
  'rejects the URL %s',
  async (url) => {
    expect(await runCli(['import', '--db-url', url, '--workdir', target.project.folder, '--yes'])).toBe(1)
    expect(told).toContain('must start with postgresql://')
    await expectUnchanged()
  },
)

test.each([
  [['--sample', '0'], 2, 'Enter a share of the rows'],
  [['--sample', '101%'], 2, 'Enter a share of the rows'],
  [['--tables', 'nothing'], 1, '--tables names nothing, which no migration creates'],
  [['--tables', 'auth.sessions'], 1, "Can't import"],
  [['--storage', 'files'], 2, 'none, metadata'],
])('rejects %j', async (words, code, text) => {
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    told += String(text)
    return true
  })
  expect(await undockImport(...words, '--yes')).toBe(code)
  expect(told).toContain(text)
})

test('imports buckets and file rows on request', async () => {
  expect(await undockImport('--yes', '--replace', '--storage', 'metadata', '--tables', 'storage.objects'), told).toBe(0)
  expect(await query(target, 'select bucket_id, name from storage.objects')).toEqual([
    { bucket_id: 'files', name: 'a.txt' },
  ])
  await query(target, 'truncate storage.buckets cascade')
})

test('a signal aborts the import and leaves nothing', async () => {
  const blocker = new pg.Client(target.stack.dbUrl)
  await blocker.connect()
  await blocker.query('begin; lock table public.notes in share mode')
  try {
    const code = undockImport('--yes', '--replace', '--tables', 'notes')
    await vi.waitFor(async () => {
      const waiting = await query(target, "select from pg_stat_activity where wait_event_type = 'Lock'")
      expect(waiting).toHaveLength(1)
    }, 20_000)
    process.emit('SIGHUP')
    expect(await code).toBe(130)
    expect(told).toContain('Cancelled. The local database is unchanged.')
  } finally {
    await blocker.query('rollback')
    await blocker.end()
  }
  await expectUnchanged()
})
