import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { createClient } from '@supabase/supabase-js'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { makeFiles } from '../testing/files.ts'
import { joined } from '../testing/realtime-client.ts'
import { startWholeStack, type WholeStack } from './whole-stack.ts'

let workdir: string

const BROKEN = 'migrations/3_broken.sql'

beforeAll(async () => {
  workdir = await mkdtemp(join(tmpdir(), 'undock-reset-'))
  await makeFiles(join(workdir, 'supabase'), {
    'config.toml': '[storage.buckets.docs]\npublic = false\nobjects_path = "./docs"',
    'docs/hello.txt': 'hello',
    'migrations/1_notes.sql': `
      create table public.notes (id int primary key generated always as identity, body text);
      create extension pg_cron;
      create role reader;
      alter role reader set statement_timeout = '7s';
      grant select on public.notes to reader;
      alter publication supabase_realtime add table public.notes;`,
    'migrations/2_count.sql':
      'create function public.count() returns bigint language sql as $$select count(*) from public.notes$$',
    'seed.sql': `insert into public.notes (body) values ('seeded');`,
  })
})
afterAll(() => rm(workdir, { recursive: true, force: true }))

const client = (stack: WholeStack, key = stack.keys.publishable) =>
  createClient(stack.url, key, { auth: { persistSession: false, autoRefreshToken: false } })
const asService = (stack: WholeStack) => client(stack, stack.keys.secret)
const openPg = async ({ dbUrl }: WholeStack) => {
  const one = new pg.Client({ connectionString: dbUrl })
  one.on('error', () => undefined)
  await one.connect()
  return one
}

/** Everything observable about a stack, by the name of what reads it. */
const LOOKS: Readonly<Record<string, string>> = {
  rows: 'select * from public.notes',
  sequences: 'select sequencename, last_value from pg_sequences order by 1',
  tables: `select table_schema, table_name, column_name, data_type from information_schema.columns
    where table_schema not in ('pg_catalog', 'information_schema', 'realtime') and table_schema !~ '^pg_temp' order by 1, 2, 3`,
  functions: `select oid::regprocedure::text as name, prosrc from pg_proc where pronamespace = 'public'::regnamespace order by 1`,
  policies: 'select schemaname, tablename, policyname from pg_policies order by 1, 2, 3',
  rights: `select grantee, table_name, privilege_type from information_schema.role_table_grants
    where table_schema = 'public' order by 1, 2, 3`,
  schemas: `select nspname from pg_namespace where nspname !~ '^pg_' order by 1`,
  extensions: 'select extname, extversion from pg_extension order by 1',
  publications: 'select * from pg_publication_tables order by 1, 2, 3',
  roles: 'select rolname, rolcanlogin, rolbypassrls, rolconfig from pg_roles order by 1',
  memberships:
    'select roleid::regrole::text as role, member::regrole::text as member from pg_auth_members order by 1, 2',
  'settings of the database': `select setrole::regrole::text as role, unnest(setconfig) as setting from pg_db_role_setting
    join pg_database on pg_database.oid = setdatabase where datname = current_database() order by 1, 2`,
  users: 'select email from auth.users',
  sessions: 'select count(*)::int from auth.sessions',
  buckets: 'select id from storage.buckets order by 1',
  files: 'select bucket_id, name from storage.objects order by 1, 2',
  secrets: 'select name from vault.secrets',
  jobs: 'select jobname from cron.job',
}

async function lookAt(stack: WholeStack): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {}
  for (const [name, text] of Object.entries(LOOKS)) found[name] = await stack.query(text)
  const { messages } = await fetch(`${stack.mailUrl}/api/v1/messages`).then((response) => response.json())
  return { ...found, mails: messages }
}

async function makeAMess(stack: WholeStack): Promise<void> {
  await stack.db.exec(`
    select cron.schedule('job', '0 0 1 1 *', 'select 1');
    select vault.create_secret('hush', 'secret');
    insert into public.notes (body) values ('mine'), ('yours');
    alter table public.notes add column colour text;
    create table public.passing (id serial);
    create or replace function public.count() returns bigint language sql as 'select -1';
    create policy anyone on public.notes using (true);
    grant delete on public.notes to reader;
    create schema other;
    create extension citext;
    alter publication supabase_realtime add table public.passing;
    create role visitor bypassrls;
    alter role visitor set search_path = other;
    alter table public.passing owner to visitor;
    alter role reader set statement_timeout = '1s';
    alter role reader login;
    alter role anon set statement_timeout = '1s';
    grant reader to anon;
    revoke reader from postgres;
    do $$ begin execute format('alter database %I set app.colour to %L', current_database(), 'blue'); end $$;
  `)
  await stack.createUser({ email: 'ada@example.com' })
  await client(stack).auth.signInWithOtp({ email: 'bob@example.com' })
  await stack.lastMail('bob@example.com')
  const { storage } = asService(stack)
  await storage.createBucket('other')
  await storage.from('docs').upload('mine.txt', 'mine')
  await storage.from('docs').update('hello.txt', 'changed')
}

describe('a reset', () => {
  let stack: WholeStack
  beforeAll(async () => {
    stack = await startWholeStack({ workdir, exclude: ['functions'] })
  })
  afterAll(() => stack?.stop())

  test('removes all changes, repeatedly', async () => {
    const prepared = await lookAt(stack)
    for (const _round of [1, 2]) {
      await makeAMess(stack)
      const messy = await lookAt(stack)
      for (const name of Object.keys(prepared)) expect(messy[name], name).not.toEqual(prepared[name])
      await stack.reset()
      expect(await lookAt(stack)).toEqual(prepared)
      const hello = await asService(stack).storage.from('docs').download('hello.txt')
      expect(await hello.data?.text()).toBe('hello')
      const { data } = await asService(stack).storage.from('docs').download('mine.txt')
      expect(data).toBeNull()
    }
  })

  test('resets a session that stays open', async () => {
    const kept = `select current_setting('app.mood', true) as mood, to_regclass('pg_temp.passing') as passing`
    await stack.db.exec(`set app.mood = 'bad'; create temp table passing (id int); select pg_advisory_lock(1)`)
    await stack.reset()
    expect(await stack.query(kept)).toEqual([{ mood: null, passing: null }])
    expect(await stack.query(`select from pg_locks where locktype = 'advisory'`)).toEqual([])
  })

  test('refreshes what services cache from the database', async () => {
    const supabase = client(stack, stack.keys.secret)
    await stack.db.exec('alter table public.notes rename column body to words; drop function public.count')
    await eventually(async () => expect((await supabase.from('notes').select('words')).error).toBeNull())
    await stack.reset()
    expect(await supabase.from('notes').select('body')).toMatchObject({ data: [{ body: 'seeded' }] })
    expect((await supabase.from('notes').select('words')).error?.code).toBe('42703')
    expect((await supabase.rpc('count')).data).toBe(1)
  })

  test('reads a changed [db.seed] again', async () => {
    const file = join(workdir, 'supabase', 'config.toml')
    const before = await readFile(file, 'utf8')
    await writeFile(join(workdir, 'supabase', 'other-seed.sql'), "insert into public.notes (body) values ('other')")
    await writeFile(file, `${before}\n[db.seed]\nsql_paths = ["./other-seed.sql"]\n`)
    await stack.reset()
    expect(await stack.query('select body from public.notes')).toEqual([{ body: 'other' }])
    await writeFile(file, `${before}\n[db.seed]\nenabled = false\n`)
    await stack.reset()
    expect(await stack.query('select body from public.notes')).toEqual([])
    await writeFile(file, before)
    await stack.reset()
    expect(await stack.query('select body from public.notes')).toEqual([{ body: 'seeded' }])
  })

  test("ends users' sessions, and they can sign up again", async () => {
    const supabase = client(stack)
    const account = { email: 'eve@example.com', password: 'Pass-word-1' }
    expect((await supabase.auth.signUp(account)).error).toBeNull()
    const before = (await supabase.auth.getUser()).data.user?.id
    await stack.reset()
    expect((await supabase.auth.getUser()).error).toMatchObject({ status: 403, code: 'user_not_found' })
    expect((await supabase.auth.refreshSession()).error?.code).toBe('refresh_token_not_found')
    const { data, error } = await supabase.auth.signUp(account)
    expect(error).toBeNull()
    expect(data.user?.id).not.toBe(before)
  })

  test('keeps delivering changes to an open channel', async () => {
    const supabase = asService(stack)
    const heard: unknown[] = []
    await joined(
      supabase
        .channel('notes')
        .on('postgres_changes', { event: 'INSERT', schema: 'public', table: 'notes' }, (one) => heard.push(one.new)),
    )
    for (const _round of [1, 2]) {
      await stack.reset()
      heard.length = 0
      await supabase.from('notes').insert({ body: 'after' })
      await eventually(() => expect(heard).toEqual([{ id: 2, body: 'after' }]))
    }
    await supabase.removeAllChannels()
    supabase.realtime.disconnect()
  })

  test('responds to requests in progress with the old data or a clear error', async () => {
    const ask = async () => {
      const response = await fetch(`${stack.url}/rest/v1/notes?select=body`, { headers: { apikey: stack.keys.secret } })
      return { status: response.status, body: await response.json() }
    }
    await stack.reset()
    const before = Array.from({ length: 50 }, ask)
    const reset = stack.reset()
    const during = Array.from({ length: 50 }, ask)
    await reset
    for (const { status, body } of await Promise.all([...before, ...during])) {
      if (status === 200) expect(body).toEqual([{ body: 'seeded' }])
      else
        expect({ status, body }).toEqual({
          status: 503,
          body: expect.objectContaining({
            code: expect.stringMatching(/^(08|57|55|PGRST00)/),
            message: expect.stringMatching(/./),
          }),
        })
    }
    expect((await ask()).status).toBe(200)
  })

  test('makes clients of the database port reconnect', async () => {
    const read = async (one: pg.Client) => (await one.query('select body from public.notes')).rows
    const early = await openPg(stack)
    expect(await read(early)).toEqual([{ body: 'seeded' }])
    await stack.reset()
    await expect(read(early)).rejects.toThrow('connection')
    const late = await openPg(stack)
    expect(await read(late)).toEqual([{ body: 'seeded' }])
    await Promise.all([early.end(), late.end()])
  })

  test('can run several times in parallel', async () => {
    await stack.query(`insert into public.notes (body) values ('mine')`)
    await Promise.all([stack.reset(), stack.reset(), stack.reset()])
    expect(await stack.query('select body from public.notes')).toEqual([{ body: 'seeded' }])
  })

  test('keeps everything unchanged when a migration fails, including files and emails', async () => {
    await makeAMess(stack)
    const messy = await lookAt(stack)
    await writeFile(join(workdir, 'supabase', BROKEN), 'create table public.half (id int); select 1 / 0;')
    await expect(stack.reset()).rejects.toThrow('division by zero')
    await rm(join(workdir, 'supabase', BROKEN))
    expect(await lookAt(stack)).toEqual(messy)
    expect(await (await asService(stack).storage.from('docs').download('mine.txt')).data?.text()).toBe('mine')
    await stack.reset()
    expect(await stack.query('select body from public.notes')).toEqual([{ body: 'seeded' }])
  })

  test('can be followed or interrupted by stopping the stack', async () => {
    const one = await startWholeStack({ workdir, exclude: ['functions'] })
    await one.reset()
    await one.stop()
    const other = await startWholeStack({ workdir, exclude: ['functions'] })
    const reset = other.reset()
    await setImmediate()
    await other.stop()
    await reset
    await expect(other.reset()).rejects.toThrow('The stack has been stopped')
  })
})
