import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@supabase/supabase-js'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { loadRegistry } from '../../src/runtime/branches/registry.ts'
import { PACKAGES } from '../support/paths.ts'
import { makeProject, type TestProject } from '../support/project.ts'
import { type CommandResult, endRunning, launch, outcomeOf, startUndock, undock } from '../support/undock.ts'

// Every command in docs/compatibility/cli.md that works on a running backend.

// Each test runs many commands, and each command starts two processes.
vi.setConfig({ testTimeout: 180_000 })

const SECRET_KEY = 'sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz'
let project: TestProject
let database: pg.Pool

beforeAll(async () => {
  project = await makeProject({
    'config.toml':
      'project_id = "every-command"\n[edge_runtime]\nenabled = false\n[storage.buckets.files]\npublic = true\n',
    'migrations/20250101000000_notes.sql': 'create table public.notes (id int primary key, text text);',
    'migrations/20250102000000_owner.sql': `
      alter table public.notes enable row level security;
      create policy "all read" on public.notes for select using (true);
      create function public.on_user() returns trigger language plpgsql as $$ begin return new; end $$;
      create trigger on_user after insert on auth.users for each row execute function public.on_user();`,
  })
  const { env } = process
  // The command finds the CLI on the PATH, and the CLI stores its settings in HOME.
  Object.assign(env, { PATH: `${PACKAGES}/.bin:${env.PATH}`, HOME: project.folder })
  Object.assign(env, { SUPABASE_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' })
  await startUndock(project)
  database = new pg.Pool({ connectionString: databaseUrl(), max: 1 })
  // A reset ends the connection; the next query opens another one.
  database.on('error', () => undefined)
})
afterAll(async () => {
  if (!database?.ended) await database?.end()
  await endRunning()
  await project?.remove()
})

const databaseUrl = () => `postgresql://postgres:postgres@127.0.0.1:${project.ports.SUPABASE_DB_PORT}/postgres`
const run = (...words: string[]): Promise<CommandResult> => undock(project, 'supabase', ...words)
const migrations = async () => (await readdir(join(project.folder, 'supabase/migrations'))).sort()
const inProject = (path: string) => join(project.folder, path)
const migrationText = (name: string) => readFile(inProject(`supabase/migrations/${name}`), 'utf8')
const columns = async (table: string) => {
  const { rows } = await database.query('select column_name from information_schema.columns where table_name = $1', [
    table,
  ])
  return rows.map((row) => row.column_name)
}

/** Which snapshots were taken before which commands. */
const kept = () => loadRegistry(inProject('supabase/.undock')).snapshots.map(({ command }) => command)

async function supabase(...words: string[]): Promise<string> {
  const outcome = await run(...words)
  expect(outcome, words.join(' ')).toMatchObject({ code: 0 })
  return outcome.stdout + outcome.stderr
}

test('db lint checks functions, or says how to install plpgsql_check', async () => {
  const { rows } = await database.query(`select from pg_available_extensions where name = 'plpgsql_check'`)
  const outcome = await run('db', 'lint', '--schema', 'public', '--fail-on', 'error')
  if (rows.length === 0) {
    expect(outcome.code).toBe(1)
    expect(await supabase('db', 'lint')).toContain('Nothing was checked')
    expect(outcome.stderr).toMatch(
      /`db lint` needs the extension plpgsql_check, which this backend does not have\..*postgresql-17-plpgsql-check/,
    )
  } else expect(outcome).toMatchObject({ code: 0 })
})

describe('migrations', () => {
  test('new, up, list, repair, down and fetch', async () => {
    await supabase('migration', 'new', 'third')
    const third = (await migrations()).at(-1) ?? ''
    expect(third).toMatch(/^\d{14}_third\.sql$/)
    const version = third.slice(0, 14)
    await project.write(`migrations/${third}`, 'create table public.third (id int);')
    expect(await supabase('migration', 'up')).toMatch(/About to change .*[\s\S]*`undock undo` brings it back/)
    expect(await columns('third')).toEqual(['id'])
    expect(kept().at(-1)).toBe('migration up')

    await supabase('migration', 'repair', '--status', 'reverted', version)
    expect(await supabase('migration', 'list')).toMatch(new RegExp(`\`${version}\` \\| \` *\``))
    await supabase('migration', 'repair', '--status', 'applied', version)
    expect(await supabase('migration', 'list')).toContain(`\`${version}\` | \`${version}\``)

    await supabase('migrations', 'down', '--last', '1', '--yes')
    expect(kept().at(-1)).toBe('migration down')
    expect(await columns('third')).toEqual([])
    expect(await columns('notes')).toEqual(['id', 'text'])

    await rm(inProject('supabase/migrations'), { recursive: true })
    await supabase('migration', 'fetch', '--yes')
    expect(await migrations()).toEqual(['20250101000000_notes.sql', '20250102000000_owner.sql'])
  })

  test("migration down keeps the services' schemas, and they still work", async () => {
    const { auth } = createClient(`http://127.0.0.1:${project.ports.SUPABASE_API_PORT}`, SECRET_KEY)
    const { error, data } = await auth.signUp({ email: 'after@example.com', password: 'long-enough-1' })
    expect([error, data.user?.email]).toEqual([null, 'after@example.com'])
    const { rows } = await database.query('select graphql_public.graphql() as answer')
    expect(rows[0].answer).toHaveProperty('errors')
  })

  test('db pull writes what the migrations lack and records it', async () => {
    expect(await run('db', 'pull')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No schema changes found'),
    })
    await database.query('create table public.drawn (id int primary key)')
    const pulled = await supabase('db', 'pull', 'from_here')
    const name = (await migrations()).find((one) => one.endsWith('_from_here.sql')) ?? ''
    expect(pulled).toContain(`Repaired migration history: [${name.slice(0, 14)}] => applied`)
    expect(await migrationText(name)).toContain('CREATE TABLE "public"."drawn"')
    expect(await run('db', 'pull')).toMatchObject({ code: 1 })
    expect(await supabase('migration', 'list')).toContain(`\`${name.slice(0, 14)}\` | \`${name.slice(0, 14)}\``)
  })

  test('db pull from a URL asks first, and rejects another history and other ways to choose a database', async () => {
    const remote = `--remote=${databaseUrl()}`
    await database.query('create table public.elsewhere (id int primary key)')
    expect(await supabase('db', 'diff', remote)).toContain('CREATE TABLE "public"."elsewhere"')
    expect(await supabase('db', 'dump', remote)).toContain('CREATE TABLE IF NOT EXISTS "public"."elsewhere"')
    const before = await migrations()
    expect(await run('db', 'pull', remote)).toMatchObject({ code: 1, stderr: expect.stringContaining('--yes') })
    expect(await migrations()).toEqual(before)
    await supabase('db', 'pull', remote, '--yes')
    expect((await migrations()).at(-1)).toMatch(/_remote_schema\.sql$/)

    await project.write('migrations/20250103000000_never.sql', 'select 1;')
    const other = await run('db', 'pull')
    await rm(inProject('supabase/migrations/20250103000000_never.sql'))
    expect(other.stderr).toContain('migration repair --status applied 20250103000000')
    expect(await run('db', 'pull', '--remote')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('database URL'),
    })
    expect(await run('db', 'pull', '../outside')).toMatchObject({ code: 1 })
  })

  test('db pull reads the given schemas with either diff engine', async () => {
    await database.query('create schema side; create table side.one (id int); create table public.two (id int)')
    const pulled = await supabase('db', 'pull', 'twos', '-s', 'public', '--diff-engine', 'migra')
    expect(pulled).toContain('pg-delta')
    const text = await migrationText((await migrations()).find((one) => one.endsWith('_twos.sql')) ?? '')
    expect([text.includes('"public"."two"'), text.includes('"one"')]).toEqual([true, false])
    await database.query('drop schema side cascade')
  })

  test('migration squash merges all migrations into one that makes the same database', async () => {
    await project.write(
      'migrations/20250102120000_rights.sql',
      'create table "a GRANT to b" (); revoke all on "a GRANT to b" from anon; create table readable (); revoke insert on readable from anon;',
    )
    await supabase('db', 'reset')
    const dumped = async (): Promise<string[]> => (await supabase('db', 'dump')).split('\n').sort()
    const before = await dumped()
    const all = await migrations()
    expect(await run('migration', 'squash', '--version', '1')).toMatchObject({ code: 1 })
    await supabase('migration', 'squash', '--version', '20250102000000')
    expect(await migrations()).toEqual(all.slice(1))
    await supabase('migration', 'squash', `--remote=${databaseUrl()}`, '--yes')
    expect(await migrations()).toEqual(all.slice(-1))
    const text = await migrationText(all.at(-1) ?? '')
    expect(text).toContain('CREATE POLICY "all read" ON "public"."notes"')
    expect(text).toMatch(/auth and storage\n--\n\nCREATE OR REPLACE TRIGGER "on_user" AFTER INSERT ON "auth"\."users"/)
    const difference = await run('db', 'diff')
    expect([difference.code, difference.stdout]).toEqual([0, ''])
    expect(await supabase('migration', 'squash')).toContain('already the earliest migration')
    await supabase('db', 'reset')
    expect(await dumped()).toEqual(before)
    expect(await supabase('migration', 'list')).toContain(all.at(-1)?.slice(0, 14))
  })

  test('db schema declarative: generate, sync, and db pull --declarative', async () => {
    await supabase('db', 'schema', 'declarative', 'generate', '--overwrite')
    await supabase('db', 'schema', 'declarative', 'generate', '--overwrite', '--reset')
    expect(kept().at(-1)).toBe('reset')
    expect(await readFile(inProject('supabase/schemas/public/tables/notes.sql'), 'utf8')).toContain('"all read"')
    expect(await supabase('db', 'schema', 'declarative', 'sync')).toContain('No schema changes found')
    // The files reference each other against the order of their names.
    await project.write(
      'schemas/public/tables/alpha.sql',
      'create table public.alpha (beta int references public.beta);',
    )
    await project.write('schemas/public/tables/beta.sql', 'create table public.beta (id int primary key);')
    await project.write('schemas/roles.sql', 'create role greeks nologin; grant greeks to postgres;')
    await supabase('db', 'schema', 'declarative', 'sync', '--name', 'greek', '--apply')
    expect((await migrations()).at(-1)).toMatch(/_greek\.sql$/)
    expect(kept().at(-1)).toBe('migration up')
    expect(await columns('alpha')).toEqual(['beta'])
    expect(await supabase('db', 'schema', 'declarative', 'sync')).toContain('No schema changes found')
    await project.write('schemas/public/tables/gamma.sql', 'create tabel public.gamma ();')
    const broken = await run('db', 'schema', 'declarative', 'sync')
    expect(broken).toMatchObject({ code: 1, stderr: expect.stringContaining('gamma.sql: syntax error') })
    await rm(inProject('supabase/schemas'), { recursive: true })
    expect(await run('db', 'schema', 'declarative', 'sync')).toMatchObject({ code: 1 })
    await supabase('db', 'pull', '--declarative')
    expect(await readdir(inProject('supabase/schemas/public/tables'))).toContain('beta.sql')
  })
})

test('db push takes a snapshot first, also by URL, unless there is nothing to apply', async () => {
  await project.write('migrations/20990101000000_pushed.sql', 'create table public.pushed (id int);')
  await supabase('db', 'push', '--dry-run')
  expect(kept().at(-1)).not.toBe('db push')
  await supabase('db', 'push', '--yes')
  expect(await columns('pushed')).toEqual(['id'])
  expect(kept().at(-1)).toBe('db push')
  const before = kept().length
  await supabase('db', 'push', '--yes')
  await project.write('migrations/20990102000000_later.sql', 'create table public.later (id int);')
  await supabase('db', 'push', '--yes', '--no-snapshot')
  expect(kept()).toHaveLength(before)
  expect(await columns('later')).toEqual(['id'])
  await supabase('db', 'reset', '--yes', `--remote=${databaseUrl()}`)
  expect(kept().at(-1)).toBe('reset')
})

test('db query and storage rm take a snapshot before deleting, and say which', async () => {
  await supabase('db', 'query', 'create table public.doomed (id int)')
  const before = kept().length
  await supabase('db', 'query', 'select 1')
  await supabase('db', 'query', 'truncate public.doomed', '--no-snapshot')
  await supabase('db', 'query', 'drop table public.doomed', '--read-only').catch(() => undefined)
  expect(kept()).toHaveLength(before)
  expect(await supabase('db', 'query', 'delete from public.doomed')).toMatch(
    /About to change the data \(delete table public\.doomed\) of .*: \d+ rows?[\s\S]*`undock undo` brings it back/,
  )
  await project.write('drop.sql', 'drop table public.doomed;')
  await supabase('db', 'query', '--file', inProject('supabase/drop.sql'))
  expect(kept().slice(-2)).toEqual(['db query', 'db query'])
  expect(await columns('doomed')).toEqual([])
  // The first statement looks like a flag, and the text is too long for an argument.
  const piped = launch(
    project,
    ['supabase', 'db', 'query', '-o', 'csv'],
    [],
    [],
    `-- ${'x'.repeat(200_000)}\nselect 7 as n`,
  )
  expect(await outcomeOf(piped)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^n\r?\n7/) })
  const removal = await run('storage', 'rm', 'ss:///nothing/a.txt', '--experimental', '--yes')
  expect(removal.stderr).toMatch(/About to delete ss:\/\/\/nothing\/a\.txt of /)
  expect(kept().at(-1)).toBe('storage rm')
})

test('db query, db advisors, test new and test db', async () => {
  expect(JSON.parse((await run('db', 'query', 'select 1 as one', '-o', 'json')).stdout)).toEqual([{ one: 1 }])
  expect(await supabase('db', 'advisors', '--type', 'all', '--level', 'info')).toContain('public')
  await supabase('test', 'new', 'first')
  await writeFile(
    inProject('supabase/tests/first_test.sql'),
    "begin; select plan(1); select has_table('notes'); select * from finish(); rollback;",
  )
  expect(await supabase('test', 'db')).toContain('1 passed, 0 failed')
  expect(await supabase('db', 'test')).toContain('1 passed, 0 failed')
})

// database-tools.test.ts covers the reports that aren't deprecated.
test('inspect db runs the deprecated reports', async () => {
  const reports = ['cache-hit', 'index-usage', 'index-sizes', 'table-sizes', 'unused-indexes', 'table-record-counts']
  await Promise.all(reports.map((report) => supabase('inspect', 'db', report)))
  await Promise.all(
    ['seq-scans', 'role-configs', 'role-connections'].map((report) => supabase('inspect', 'db', report)),
  )
})

test('seed buckets, and storage ls, cp, mv and rm', async () => {
  await project.write('../hello.txt', 'hello')
  const storage = (...words: string[]) => supabase('storage', ...words, '--experimental')
  await supabase('seed', 'buckets')
  expect(await storage('ls')).toContain('files/')
  await storage('cp', 'hello.txt', 'ss:///files/folder/hello.txt')
  expect(await storage('ls', '-r')).toContain('/files/folder/hello.txt')
  await storage('mv', 'ss:///files/folder/hello.txt', 'ss:///files/moved.txt')
  await storage('cp', 'ss:///files/moved.txt', 'back.txt')
  expect(await readFile(inProject('back.txt'), 'utf8')).toBe('hello')
  await storage('rm', 'ss:///files/moved.txt', '--yes')
  expect(await storage('ls', '-r')).not.toContain('.txt')
})

test('gen types supports languages without extra tools and reports a clear error for the others', async () => {
  expect(await supabase('gen', 'types', '--lang', 'typescript')).toMatch(/"?notes"?: \{/)
  expect(await supabase('gen', 'types', '--lang', 'go')).toContain('PublicNotesSelect')
  expect(await supabase('gen', 'types', '--lang', 'python')).toContain('class PublicNotes')
  for (const [language, tool] of [
    ['swift', 'supabase-typegen'],
    ['dart', 'dart'],
  ] as const) {
    const { code, stdout, stderr } = await run('gen', 'types', '--lang', language)
    // Generates the types on machines with the tool.
    expect(code === 0 ? stdout : stderr).toMatch(code === 0 ? /notes/i : `needs \`${tool}\``)
  }
})

test('gen signing-key, gen bearer-jwt, functions new and services', async () => {
  expect(JSON.parse((await run('gen', 'signing-key')).stdout)).toMatchObject({ kty: 'EC', alg: 'ES256' })
  const token = (await run('gen', 'bearer-jwt', '--role', 'service_role')).stdout.trim().split('\n').at(-1) ?? ''
  const response = await fetch(`http://127.0.0.1:${project.ports.SUPABASE_API_PORT}/auth/v1/admin/users`, {
    headers: { apikey: SECRET_KEY, authorization: `Bearer ${token}` },
  })
  expect(response.status).toBe(200)
  await supabase('functions', 'new', 'greet')
  expect(await readdir(inProject('supabase/functions/greet'))).toContain('index.ts')
  expect(await supabase('services')).toContain('supabase/postgres')
})

test("logs is the CLI's own command; undock logs prints this backend's logs", async () => {
  expect(await run('logs')).toMatchObject({ code: 1 })
  const url = `http://127.0.0.1:${project.ports.SUPABASE_API_PORT}/rest/v1/notes`
  await fetch(url, { headers: { apikey: SECRET_KEY } })
  await expect.poll(async () => (await undock(project, 'logs', 'gateway')).stdout).toContain('GET /rest/v1/notes')
})

test("stop --project-id stops only that project's backends", async () => {
  expect(await supabase('stop', '--project-id', 'another')).toContain('No running backend')
  expect(await run('stop', '--project-id', 'another', '--no-backup')).toMatchObject({ code: 1 })
  await supabase('status')
  await database.end()
  await supabase('stop', '--project-id', 'every-command')
  expect(await run('status')).toMatchObject({ code: 1 })
})

test('db start starts only the database', async () => {
  await supabase('db', 'start')
  expect(await supabase('test', 'db')).toContain('1 passed')
  const response = await fetch(`http://127.0.0.1:${project.ports.SUPABASE_API_PORT}/auth/v1/health`)
  expect(response.status).toBe(503)
  // The services of a running backend aren't added to it.
  await run('start')
  expect((await fetch(`http://127.0.0.1:${project.ports.SUPABASE_API_PORT}/auth/v1/health`)).status).toBe(503)
  await supabase('stop')
  await supabase('start')
  expect((await fetch(`http://127.0.0.1:${project.ports.SUPABASE_API_PORT}/auth/v1/health`)).status).toBe(200)
  await supabase('stop')
  expect(await run('db', 'start', '--from-backup', 'x')).toMatchObject({ code: 1 })
})
