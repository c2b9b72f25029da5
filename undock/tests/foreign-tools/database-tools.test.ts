import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openInstallation } from '../../src/database/postgres/installation.ts'
import { type Stack, startStack } from '../../src/runtime/stack/stack.ts'
import { makeProject, type TestProject } from '../support/project.ts'

const run = promisify(execFile)
const { resolve } = createRequire(import.meta.url)
const CLI = join(dirname(resolve('supabase/package.json')), 'dist/supabase.js')
const DRIZZLE_KIT = join(dirname(resolve('drizzle-kit')), 'bin.cjs')

let stack: Stack
let project: TestProject

beforeAll(async () => {
  const platform = await makeProject({ 'config.toml': 'project_id = "tools"\n[edge_runtime]\nenabled = false\n' })
  project = await makeProject({
    'config.toml': 'project_id = "tools"\n',
    'migrations/20260101000000_books.sql': `
      create extension if not exists vector with schema extensions version '0.1';
      create table public.books (id int primary key, title text not null, about extensions.vector(2));
      insert into public.books values (1, 'one; two');
      create function public.noted() returns event_trigger language plpgsql as $$ begin return; end $$;
      create event trigger noted on ddl_command_end when tag in ('CREATE TABLE') execute function public.noted();`,
  })
  stack = await startStack({ workdir: platform.folder, ports: 'free', state: 'memory' })
  return async () => {
    await platform.remove()
    await project.remove()
  }
})
afterAll(() => stack?.stop())

describe('the Supabase CLI', () => {
  const supabase = async (...words: string[]) => {
    const env = { ...process.env, HOME: project.folder, SUPABASE_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' }
    const { stdout } = await run(process.execPath, [CLI, ...words, `--remote=${stack.dbUrl}`], {
      cwd: project.folder,
      env,
    })
    return stdout
  }
  const rows = (query: string) => supabase('db', 'query', query, '--read-only')

  test('db push applies pending migrations once', async () => {
    await supabase('db', 'push', '--yes')
    expect(await rows('select title from books')).toContain('one; two')
    expect(await rows("select evtname from pg_event_trigger where evtname = 'noted'")).toContain('noted')
    await supabase('db', 'push', '--yes')
  })

  test('migration up, list and repair work', async () => {
    await project.write('migrations/20260102000000_more.sql', 'create table public.more (id int);')
    await supabase('migration', 'up', '--yes')
    expect(await rows("select to_regclass('public.more') as made")).toContain('more')
    await supabase('migration', 'repair', '20260102000000', '--status', 'reverted', '--yes')
    expect(await supabase('migration', 'list')).toMatch(/`20260102000000` \| ` *` /)
    await supabase('migration', 'repair', '20260102000000', '--status', 'applied', '--yes')
    expect(await supabase('migration', 'list')).toMatch(/`20260102000000` \| `20260102000000`/)
  })

  test.each([
    ['typescript', /"books": {\s+Row: {\s+"about": string \| null,"id": number,"title": string/],
    ['go', /type PublicBooksSelect struct {\s+About \*string .*\s+Id +int32 /],
    ['python', /class PublicBooks\(BaseModel\):\s+about: .*\s+id: int/],
  ])('gen types --lang %s', async (language, expected) => {
    expect(await supabase('gen', 'types', '--lang', language, '--schema', 'public')).toMatch(expected)
  })

  test.each([
    ['db-stats', 'index-stats', 'table-stats', 'role-stats', 'vacuum-stats'],
    ['outliers', 'calls', 'locks', 'blocking', 'long-running-queries'],
    ['bloat', 'replication-slots', 'collation-drift', 'traffic-profile', 'toast-sizes', 'xid-age'],
  ])(
    'inspect db %s …',
    async (...reports) => {
      const answers = await Promise.all(reports.map((report) => supabase('inspect', 'db', report)))
      for (const answer of answers) expect(answer).not.toMatch(/error/i)
    },
    120_000,
  )

  test.skipIf(!openInstallation(17).extensions.has('plpgsql_check'))('db lint finds errors in functions', async () => {
    await supabase(
      'db',
      'query',
      "create function public.wrong() returns text language plpgsql as 'begin return (select nick from auth.users); end'",
      '--yes',
    )
    const found = JSON.parse(await supabase('db', 'lint', '--schema', 'public', '-o', 'json'))
    expect(found).toMatchObject([{ function: 'public.wrong', issues: [{ message: 'column "nick" does not exist' }] }])
  })

  test("db advisors finds the project's issues and none in undock's schemas", async () => {
    await supabase('db', 'push', '--yes')
    const found: { name: string; metadata: { schema: string } }[] = JSON.parse(
      await supabase('db', 'advisors', '--type', 'all', '--level', 'info', '-o', 'json'),
    )
    expect(found.map(({ name }) => name)).toContain('rls_disabled_in_public')
    expect(found.filter(({ metadata }) => metadata.schema !== 'public')).toEqual([])
  })

  test('db reset recreates the database from migrations and seed', async () => {
    await project.write('seed.sql', "insert into public.books values (2, 'seeded');")
    await supabase('db', 'query', "insert into books values (3, 'gone')", '--yes')
    await supabase('db', 'reset', '--yes')
    const titles = await rows('select title from books order by id')
    expect(titles).toMatch(/one; two[\s\S]*seeded/)
    expect(titles).not.toContain('gone')
  })
})

describe('Drizzle Kit', () => {
  const SCHEMA = `
    import { integer, pgTable, serial, text } from 'drizzle-orm/pg-core'
    export const authors = pgTable('authors', { id: serial('id').primaryKey(), name: text('name').notNull() })
    export const works = pgTable('works', { id: serial('id').primaryKey(), author: integer('author').references(() => authors.id) })`
  const drizzleKit = async (...words: string[]) => {
    const config = join(project.folder, 'drizzle.config.json')
    const { stdout } = await run(process.execPath, [DRIZZLE_KIT, ...words, `--config=${config}`], {
      cwd: project.folder,
    })
    return stdout
  }

  test('a second push changes nothing, and pull reads the schema', async () => {
    // drizzle-orm isn't installed in the folder of its schema file.
    await project.write('../schema.ts', SCHEMA.replace('drizzle-orm/pg-core', resolve('drizzle-orm/pg-core')))
    await project.write(
      '../drizzle.config.json',
      JSON.stringify({
        dialect: 'postgresql',
        schema: './schema.ts',
        out: './drizzle',
        dbCredentials: { url: stack.dbUrl },
        tablesFilter: ['authors', 'works'],
      }),
    )
    expect(await drizzleKit('push', '--force')).toContain('Changes applied')
    expect(await drizzleKit('push', '--force')).toContain('No changes detected')
    expect(await drizzleKit('pull')).toMatch(/1 .*foreign keys fetched/)
  })
})
