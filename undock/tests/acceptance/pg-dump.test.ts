// Runs PostgreSQL's pg_dump and pg_restore on the database port if a version at least as new as the server's is installed (Debian's
// postgresql-client-17, for example); else the tests are skipped.
import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startStack, type TestStack } from '../../src/test-kit/start-stack.ts'
import { makeProject, type TestProject } from '../support/project.ts'

const execute = promisify(execFile)

/** The native engine's server; pg_dump rejects servers newer than itself. */
const SERVER_MAJOR = 17
const FOLDERS = ['', '/usr/lib/postgresql/18/bin/', `/usr/lib/postgresql/${SERVER_MAJOR}/bin/`]

/** Statements that a restore as `postgres` can't run in any project: default privileges of the platform's role. */
const FOR_SUPERUSERS = ['permission denied to change default privileges']

const majorOf = (program: string): number =>
  Number(/ (\d+)/.exec(spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout ?? '')?.[1] ?? 0)
const folder = FOLDERS.find((one) => majorOf(`${one}pg_dump`) >= SERVER_MAJOR && majorOf(`${one}pg_restore`) > 0)

describe.skipIf(folder === undefined)(`pg_dump ${SERVER_MAJOR} or newer`, () => {
  let project: TestProject
  let stack: TestStack
  let dumps: string
  beforeAll(async () => {
    dumps = await mkdtemp(join(tmpdir(), 'undock-dumps-'))
    project = await makeProject({
      'config.toml': 'project_id = "pg-dump"\n[edge_runtime]\nenabled = false\n',
      'migrations/20260101000000_books.sql': `
        create table public.authors (id int primary key generated always as identity, name text not null);
        create table public.books (id int primary key, author int references public.authors, title text not null);
        create index on public.books (author);
        create view public.titles with (security_invoker = true) as select title from public.books;
        alter table public.books enable row level security;
        create policy "all read" on public.books for select using (true);
        insert into public.authors (name) values ('Woolf');
        insert into public.books values (1, 1, 'Orlando'), (2, 1, 'Flush');`,
    })
    stack = await startStack({ workdir: project.folder, engine: 'native' })
  })
  afterAll(async () => {
    await stack?.stop()
    await project?.remove()
    await rm(dumps, { recursive: true, force: true })
  })

  /** Runs a PostgreSQL program on the stack's database. @throws with its messages if it fails */
  const run = async (program: string, ...args: string[]): Promise<string> =>
    (await execute(`${folder}${program}`, [...args, '-d', stack.dbUrl], { cwd: dumps })).stdout

  /** Restores a dump. @returns Postgres's errors; pg_restore continues after an error */
  const restore = async (...args: string[]): Promise<string[]> => {
    const errors = await run('pg_restore', ...args).then(
      () => '',
      ({ stderr }: { stderr: string }) => stderr,
    )
    return [...new Set([...errors.matchAll(/ERROR: {2}(.*)/g)].map(([, message = '']) => message))]
  }

  /** The titles that a visitor can read, which requires rows, policy and grants. */
  const titles = async () => {
    const { data, error } = await createClient(stack.url, stack.keys.publishable).from('titles').select().order('title')
    return error ?? data.map(({ title }) => title)
  }

  test('restores tables, rows, policies and grants over changed ones from the custom format', async () => {
    await run('pg_dump', '-Fc', '-f', 'all.dump')
    await stack.query(`update public.books set title = 'Changed'`)
    expect(await restore('--clean', '--if-exists', '-n', 'public', 'all.dump')).toEqual(FOR_SUPERUSERS)
    expect(await titles()).toEqual(['Flush', 'Orlando'])
  })

  test('writes and restores the directory format with several connections', async () => {
    await run('pg_dump', '-Fd', '-j', '2', '-n', 'public', '-f', 'folder')
    await stack.query('drop table public.books, public.authors cascade')
    expect(await titles()).toMatchObject({ code: 'PGRST205' })
    expect(await restore('--clean', '--if-exists', '-j', '2', 'folder')).toEqual(FOR_SUPERUSERS)
    expect(await titles()).toEqual(['Flush', 'Orlando'])
  })

  test('dumps and restores a single table', async () => {
    const script = await run('pg_dump', '--clean', '--if-exists', '-t', 'public.authors')
    expect(script).toContain('CREATE TABLE public.authors')
    expect(script).not.toContain('books (')
    await run('pg_dump', '-Fc', '-t', 'public.books', '-f', 'books.dump')
    await stack.query('drop table public.books cascade')
    expect(await restore('-t', 'books', '--no-owner', 'books.dump')).toEqual([])
    expect(await stack.query('select title from public.books order by id')).toEqual([
      { title: 'Orlando' },
      { title: 'Flush' },
    ])
  })

  test('deleted users can sign in again when their rows are restored', async () => {
    const { id, email, password } = await stack.createUser()
    await run('pg_dump', '-Fc', '--data-only', '-t', 'auth.users', '-t', 'auth.identities', '-f', 'users.dump')
    const admin = createClient(stack.url, stack.keys.secret)
    await admin.auth.admin.deleteUser(id)
    const visitor = createClient(stack.url, stack.keys.publishable)
    expect((await visitor.auth.signInWithPassword({ email, password })).error?.code).toBe('invalid_credentials')
    expect(await restore('--data-only', '-t', 'users', '-t', 'identities', 'users.dump')).toEqual([])
    expect((await visitor.auth.signInWithPassword({ email, password })).data.user?.id).toBe(id)
  })
})
