import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../../config/load.ts'
import { userCacheFolder } from '../../platform/folders.ts'
import { testCertificate } from '../../testing/certificate.ts'
import { makeFiles } from '../../testing/files.ts'
import { type Cluster, startCluster } from '../postgres/cluster.ts'
import { openProjectDatabase } from './open-project.ts'
import type { ProjectDatabase, ProjectDatabaseOptions } from './project-database.ts'

const MIGRATION = `
  create role reporter;
  create table public.items (id int primary key, name text);
  grant select on public.items to reporter;
  insert into public.items values (1, 'one');`

let folder: string
const told: string[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'undock-server-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function optionsOf(
  name: string,
  engine: ProjectDatabaseOptions['engine'],
  migrations: Record<string, string>,
): Promise<ProjectDatabaseOptions> {
  const supabaseFolder = join(folder, name, 'supabase')
  await rm(join(supabaseFolder, 'migrations'), { recursive: true, force: true })
  await makeFiles(join(supabaseFolder, 'migrations'), migrations)
  const { config } = loadConfig({ toml: '', file: 'config.toml', env: {}, folder: supabaseFolder })
  return {
    engine,
    supabaseFolder,
    missingExtensions: 'error',
    certificate: testCertificate,
    experimental: false,
    config,
    dataFolder: join(folder, name, 'data'),
    ephemeralFolder: join(folder, name),
    snapshotFolder: join(folder, name, 'snapshots'),
    cacheFolder: userCacheFolder(process.env),
    isDurable: true,
    statementLimit: 10_000,
    waitLimit: 10_000,
    host: '127.0.0.1',
    claimPort: (take) => take(0),
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    tell: (event) => void told.push('path' in event ? event.path : 'omission' in event ? event.omission : event.kind),
  }
}

const namesOf = async ({ db }: Pick<ProjectDatabase, 'db'>) =>
  (await db.query<{ name: string }>({ text: 'select name from public.items order by id', values: [] })).rows.map(
    ({ name }) => name,
  )

test("postgres can log in through the port with its role’s statement_timeout; superusers can't", async () => {
  const project = await openProjectDatabase(await optionsOf('port', 'native', {}))
  const open = async (user: string): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: project.url.replace('postgres:postgres@', `${user}:postgres@`) })
    client.on('error', () => undefined)
    await client.connect()
    return client
  }
  const login = (user: string): Promise<string> =>
    open(user).then(
      (client) => client.end().then(() => 'in'),
      (error: { code?: string }) => error.code ?? String(error),
    )
  const timeoutOf = async (user: string, before = ''): Promise<unknown> => {
    const client = await open(user)
    if (before) await client.query(before)
    const { rows } = await client.query('show statement_timeout')
    await client.end()
    return rows[0]?.statement_timeout
  }
  try {
    const { rows } = await project.db.query<{ rolname: string }>({ text: SUPERUSERS, values: [] })
    const names = rows.map(({ rolname }) => rolname)
    expect(names).toContain('supabase_admin')
    for (const name of names) expect({ name, login: await login(name) }).toEqual({ name, login: '28000' })
    expect(await login('postgres')).toBe('in')

    expect(await timeoutOf('authenticator')).toBe('8s')
    // SET ROLE doesn't apply the role's settings: the Data API applies the caller's.
    expect(await timeoutOf('authenticator', 'set role anon')).toBe('8s')
    expect(await timeoutOf('postgres')).toBe('0')
    expect(await timeoutOf('supabase_auth_admin')).toBe('0')
    await project.db.runAs('postgres', `alter role postgres set statement_timeout = '2min'`)
    expect(await timeoutOf('postgres')).toBe('2min')
  } finally {
    await project.close()
  }
})

const SUPERUSERS = 'select rolname from pg_catalog.pg_roles where rolsuper and rolcanlogin'

test.runIf(process.env.NIGHTLY)('a migration can create databases, also after a reset', async () => {
  const options = await optionsOf('databases', 'native', { '1_db.sql': 'create database reporting;' })
  const project = await openProjectDatabase(options)
  const count = async (): Promise<unknown> =>
    (await project.db.query({ text: `select from pg_database where datname = 'reporting'`, values: [] })).rows.length
  try {
    expect(await count()).toBe(1)
    // Changes the content so that the reset runs it instead of using a snapshot.
    await makeFiles(join(options.supabaseFolder, 'migrations'), { '2_more.sql': 'create database archive;' })
    await project.reset()
    expect(await count()).toBe(1)
    await makeFiles(join(options.supabaseFolder, 'migrations'), {
      '2_more.sql': 'create database archive; select nonsense;',
    })
    await expect(project.reset()).rejects.toThrow('nonsense')
    expect(await count()).toBe(1)
    // An interrupted DROP leaves the database like this.
    const interrupted = `update pg_database set datconnlimit = -2 where datname = 'reporting'`
    await project.db.query({ text: interrupted, values: [] })
    await makeFiles(join(options.supabaseFolder, 'migrations'), { '2_more.sql': 'create database archive;' })
    await project.reset()
    expect(await count()).toBe(1)
  } finally {
    await project.close()
  }
})

test('upgrades data of an older version', async () => {
  const options = await optionsOf('version', 'native', { '1_items.sql': MIGRATION })
  const opened = async (work: (project: ProjectDatabase) => Promise<unknown>): Promise<boolean> => {
    told.length = 0
    const project = await openProjectDatabase(options)
    await work(project).finally(project.close)
    return told.includes('updated')
  }
  const nothing = async () => undefined
  expect(await opened(nothing)).toBe(false)
  const before = `comment on schema extensions is 'undock of before';
    create function _undock.run_privileged(statement text) returns void language sql security definer as 'select';
    drop event trigger complete_pgmq; drop function _undock.complete_pgmq(); drop table auth.mfa_recovery_codes;
    alter table auth.one_time_tokens drop column expires_at; alter table storage.buckets drop column lifecycle_configuration; delete from pg_enum where enumlabel = 'recovery_code';
    create or replace function auth.uid() returns uuid language sql as 'select null::uuid';
    alter role authenticator password 'own'`
  expect(await opened(({ db }) => db.exec(before))).toBe(false)
  const isGone = async ({ db }: ProjectDatabase) =>
    expect(
      (
        await db.query({
          text: `select to_regproc('_undock.run_privileged') as unsafe, to_regclass('auth.mfa_recovery_codes') is not null as codes,
            (select count(*)::int from pg_attribute where attrelid = 'auth.one_time_tokens'::regclass and attname = 'expires_at') as expiry,
            (select count(*)::int from pg_constraint where conname ~ '^buckets_lifecycle_') as checks,
            enum_range(null::auth.factor_type)::text as factors,
            (select evtname::text from pg_event_trigger where evtname = 'complete_pgmq') as trigger,
            (select prosrc ~ 'request.jwt' from pg_proc where oid = 'auth.uid()'::regprocedure) as uid,
            (select name from public.items) as kept`,
          values: [],
        })
      ).rows,
    ).toEqual([
      {
        unsafe: null,
        codes: true,
        expiry: 1,
        checks: 3,
        factors: '{totp,webauthn,phone,recovery_code}',
        trigger: 'complete_pgmq',
        uid: true,
        kept: 'one',
      },
    ])
  expect(await opened(isGone)).toBe(true)
  expect(await opened(nothing)).toBe(false)
})

describe('the native server', () => {
  test('migrates once, keeps its data and can be reset', async () => {
    const first = await openProjectDatabase(await optionsOf('native', 'native', { '1_items.sql': MIGRATION }))
    expect(first.origin).toBe('migrated')
    // The superuser's statements don't use functions that the project places before PostgreSQL's own.
    expect((await first.db.query({ text: 'show search_path', values: [] })).rows).toEqual([
      { search_path: 'pg_catalog, pg_temp' },
    ])
    await first.db.exec(`insert into public.items values (2, 'two')`)
    await first.close()

    const options = await optionsOf('native', 'native', {
      '1_items.sql': MIGRATION,
      '2_more.sql': `alter database postgres set work_mem to '5MB'`,
    })
    const kept = await openProjectDatabase(options)
    expect(kept.origin).toBe('kept')
    expect((await kept.db.query({ text: 'select current_setting($$fsync$$) as fsync', values: [] })).rows).toEqual([
      { fsync: 'on' },
    ])
    expect(await namesOf(kept)).toEqual(['one', 'two'])

    let reopened = 0
    kept.onReopened(() => {
      reopened += 1
    })
    await kept.reset()
    expect(await namesOf(kept)).toEqual(['one'])
    await kept.db.exec(`insert into public.items values (3, 'three')`)
    await kept.reset()
    expect(await namesOf(kept)).toEqual(['one'])
    expect(reopened).toBe(2)
    const { rows } = await kept.db.query({
      text: `select rolname, current_setting('work_mem') as memory from pg_roles where rolname like '%reporter' and has_table_privilege(rolname, 'public.items', 'select')`,
      values: [],
    })
    expect(rows).toEqual([{ rolname: 'reporter', memory: '5MB' }])
    await kept.close()
  })

  test('never runs project code in its own sessions, whichever event it waits for', async () => {
    const options = await optionsOf('events', 'native', {
      '1_events.sql': `
        create sequence public.superuser_runs; grant all on public.superuser_runs to public;
        create function public.spy() returns boolean language plpgsql as $$ begin
          if current_user = 'supabase_admin' or session_user = 'supabase_admin' then perform nextval('public.superuser_runs'); end if;
          return true; end $$;
        create function public.spy_row() returns trigger language plpgsql as $$ begin perform public.spy(); return null; end $$;
        create table public.late (id int);
        create constraint trigger late after insert on public.late deferrable initially deferred for each row execute function public.spy_row();
        create function public.spy_event() returns event_trigger language plpgsql as $$ begin
          perform public.spy(); insert into public.late values (1);
          execute format('declare spy_%s cursor with hold for select public.spy()', replace(gen_random_uuid()::text, '-', '')); end $$;
        create event trigger logins on login execute function public.spy_event();
        create event trigger starts on ddl_command_start execute function public.spy_event();
        create event trigger ends on ddl_command_end execute function public.spy_event();
        alter database postgres set search_path = public`,
    })
    const count = async ({ db }: ProjectDatabase) =>
      (await db.query({ text: 'select is_called from public.superuser_runs', values: [] })).rows
    const first = await openProjectDatabase(options)
    await first.db.listen('news', () => undefined)
    await first.db.exec(`create table public.by_stack (id int); comment on schema extensions is 'undock of before'`)
    expect(await count(first)).toEqual([{ is_called: false }])
    await first.copyTo?.(join(folder, 'events', 'copy'))
    await first.close()
    const second = await openProjectDatabase(options)
    expect(await count(second)).toEqual([{ is_called: false }])
    await second.db.runAs('postgres', 'create table public.by_project (id int)')
    const { rows } = await second.db.query({ text: 'select count(*)::int > 1 as fired from public.late', values: [] })
    expect(rows).toEqual([{ fired: true }])
    await second.close()
  })

  test("reports in one sentence that the project can't log in", async () => {
    const migration = `create function public.refuse() returns event_trigger language plpgsql as $$ begin raise 'nobody today'; end $$;
      create event trigger refuse on login execute function public.refuse()`
    const error: Error = await openProjectDatabase(
      await optionsOf('logins', 'native', { '1_refuse.sql': migration }),
    ).then(
      () => expect.unreachable(),
      (thrown) => thrown,
    )
    expect(error.name).toBe('ClusterError')
    expect(error.message).toMatch(/^The role postgres cannot log in to the project's database: nobody today\. [^\n]+$/)
  })

  test('keeps everything unchanged if a migration fails', async () => {
    const options = await optionsOf('native', 'native', { '1_items.sql': MIGRATION })
    const database = await openProjectDatabase(options)
    await database.db.exec(`insert into public.items values (4, 'four')`)
    await optionsOf('native', 'native', {
      '1_items.sql': `${MIGRATION} create table half (id int)`,
      '2_bad.sql': 'nonsense',
    })
    await expect(database.reset()).rejects.toThrow('2_bad.sql')
    expect(await namesOf(database)).toEqual(['one', 'four'])
    const { rows } = await database.db.query({
      text: `select to_regclass('half') as half, (select count(*)::int from pg_roles where rolname like '%reporter') as roles`,
      values: [],
    })
    expect(rows).toEqual([{ half: null, roles: 1 }])
    await database.close()
  })

  test('leaves nothing behind if a migration fails on first start', async () => {
    const bad = await optionsOf('fresh', 'native', { '1_bad.sql': 'create table a (id int); nonsense' })
    await expect(openProjectDatabase(bad)).rejects.toThrow('1_bad.sql')
    const good = await openProjectDatabase(await optionsOf('fresh', 'native', { '1_items.sql': MIGRATION }))
    expect(good.origin).toBe('migrated')
    await good.close()
  })

  test('restores a snapshot while clients are connected', async () => {
    const database = await openProjectDatabase(await optionsOf('native', 'native', { '1_items.sql': MIGRATION }))
    const client = new pg.Client({ connectionString: database.url })
    client.on('error', () => undefined)
    await client.connect()
    await client.query(`delete from public.items; insert into public.items values (7, 'seven')`)
    const heard: string[] = []
    await database.db.listen('news', (payload) => heard.push(payload))
    const snapshot = await database.snapshot()
    for (const name of ['eight', 'nine']) {
      await database.db.exec(`insert into public.items values (8, '${name}')`)
      await snapshot.restore()
      expect(await namesOf(database)).toEqual(['seven'])
    }
    await database.db.exec(`notify news, 'still heard'`)
    expect(heard).toEqual(['still heard'])
    await snapshot.discard()
    await database.close()
  })
})

describe('a server by URL', () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startCluster({
      major: 17,
      folder: join(folder, 'foreign'),
      host: '127.0.0.1',
      port: 0,
      settings: {},
      isDurable: false,
      log: () => undefined,
    })
    const admin = new pg.Client({ connectionString: `${cluster.address}/postgres` })
    await admin.connect()
    await admin.query(`create role owner login createdb createrole password 'secret'`)
    await admin.query('create database app owner owner')
    await admin.end()
  })
  afterAll(() => cluster.close())

  test('is bootstrapped once, also without superuser rights, and reports what was left out', async () => {
    const url = `postgresql://owner:secret@127.0.0.1:${cluster.port}/app`
    const options = await optionsOf('url', { url }, { '1_items.sql': MIGRATION })
    told.length = 0
    const first = await openProjectDatabase(options)
    expect(first.origin).toBe('migrated')
    expect(told.join('\n')).toContain('event trigger')
    const { rows } = await first.db
      .run({
        settings: { role: 'anon' },
        statements: [{ text: 'select name from public.items', values: [] }],
      })
      .then(([result]) => result ?? { rows: [] })
    expect(rows).toEqual([{ name: 'one' }])
    await first.db.exec(`insert into public.items values (2, 'two')`)
    await first.close()

    told.length = 0
    const second = await openProjectDatabase(options)
    expect(second.origin).toBe('kept')
    expect(await namesOf(second)).toEqual(['one', 'two'])
    expect(told).toEqual([])
    await second.close()
  })

  test('that was prepared by another version is prepared again over the existing objects', async () => {
    const admin = new pg.Client({ connectionString: `${cluster.address}/postgres` })
    await admin.connect()
    await admin.query('create database before')
    await admin.end()
    const url = `${cluster.address}/before`
    const options = await optionsOf(
      'before',
      { url },
      { '1_items.sql': 'create table public.items as select 1 as id, $$one$$ as name' },
    )
    const first = await openProjectDatabase(options)
    // Simulates a kill during the migrations, which run with it off.
    await first.db.exec(
      "comment on schema extensions is 'undock of before'; alter event trigger pgrst_ddl_watch disable",
    )
    await first.close()
    told.length = 0
    const again = await openProjectDatabase(options)
    expect([told, await namesOf(again)]).toEqual([[], ['one']])
    await again.db.exec('alter table public.items rename to things')
    const { rows } = await again.db.query({
      text: `select obj_description('extensions'::regnamespace) <> 'undock of before' as marked,
        not exists (select from pg_event_trigger where evtenabled = 'D') as watched`,
      values: [],
    })
    expect(rows).toEqual([{ marked: true, watched: true }])
    await again.close()
  })
})

test('is reported without its password if unreachable', async () => {
  const opening = openProjectDatabase(await optionsOf('gone', { url: 'postgresql://me:hidden@127.0.0.1:1/app' }, {}))
  const error: Error = await opening.then(
    () => expect.unreachable(),
    (thrown) => thrown,
  )
  expect(error.message).toContain('the database at 127.0.0.1:1/app: connect ECONNREFUSED')
  expect(error.message).not.toContain('hidden')
})
