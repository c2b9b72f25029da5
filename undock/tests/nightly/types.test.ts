import { spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readProjectConfig } from '../../src/config/project.ts'
import { PACKAGES } from '../support/paths.ts'
import { makeProject, type TestProject } from '../support/project.ts'
import { end, endRunning, launch, outcomeOf, startUndock, undock, untilSaid } from '../support/undock.ts'

// `undock types` writes the same bytes as `supabase gen types`. TYPES_PROJECTS lists further folders that contain supabase/,
// separated by colons.

/** Difficult cases for type generators. */
const SCHEMA = `
  create type public.mood as enum ('sad', 'o"k', 'happy');
  create type public.place as (lat float8, "the name" text, mood public.mood);
  create schema private;
  create type private.secret as enum ('x', 'y');
  create domain public.email as text check (value like '%@%') not null;
  create table public.authors (id bigint generated always as identity primary key, name text not null, mail public.email,
    mood public.mood default 'happy', moods public.mood[], hidden private.secret, at timestamptz default now(),
    data jsonb not null, extra json, spot public.place, spots public.place[], raw bytea, span int4range, gen int generated always as (1) stored);
  create table public.books (id uuid primary key default gen_random_uuid(), author bigint not null references public.authors,
    editor bigint references public.authors, "Title" varchar(20) not null, unique (author));
  create table public.parts (book uuid references public.books, number int, primary key (book, number));
  create table public.pages (book uuid, part int, text text, foreign key (book, part) references public.parts (book, number));
  create table private.notes (id int primary key, author bigint references public.authors);
  create view public.titles as select b.id, b."Title", a.name, b.author from public.books b join public.authors a on a.id = b.author;
  create view public.maybe as select a.id, b.id as book, b.author from public.authors a left join public.books b on b.author = a.id;
  create view public.nested as with t as (select id, author from public.titles) select t.id as the_id, t.author as the_author, sub.n
    from t join (select id, name as n from public.authors) sub on sub.id = t.author;
  create view public.counted as select author, count(*) as n from public.books group by author;
  create view public.either as select id from public.authors union select 1;
  create view public.writable as select id, name from public.authors;
  create view public.by_trigger as select a.name from public.authors a, public.books b;
  create function public.instead() returns trigger language plpgsql as 'begin return new; end';
  create trigger t instead of insert on public.by_trigger for each row execute function public.instead();
  create materialized view public.snapshot as select id, name from public.authors;
  comment on column public.either.id is E'@notNull\\nalways';
  create function public.none() returns void language sql as '';
  create function public.add(a int, b int default 2) returns int language sql as 'select a + b';
  create function public.twice(a int) returns int language sql as 'select a';
  create function public.twice(a text) returns text language sql as 'select a';
  create function public.overloaded(a int) returns int language sql as 'select a';
  create function public.overloaded(b text, c int) returns text language sql as 'select b';
  create function public.unnamed(jsonb) returns jsonb language sql as 'select $1';
  create function public.unnamed_int(int) returns int language sql as 'select $1';
  create function public.full_name(authors) returns text language sql as 'select $1.name';
  create function public.books_of(authors) returns setof books language sql as 'select * from books';
  create function public.one_book(authors) returns setof books rows 1 language sql as 'select * from books limit 1';
  create function public.all_books() returns setof books language sql as 'select * from books';
  create function public.as_table(x int) returns table (b int, a text) language sql as 'select 1, 2::text';
  create function public.outs(x int, out y int, out z text) language sql as 'select 1, 2::text';
  create function public.a_place() returns public.place language sql as 'select null::public.place';
  create function public.takes_row(author authors, n int) returns int language sql as 'select 1';
  create function public.any_record() returns setof record language sql as 'select 1, 2';
  create function public.variadic_one(variadic n int[]) returns int language sql as 'select 1';
  create function public.moods() returns setof public.mood language sql as 'select null::public.mood';`

let project: TestProject
beforeAll(async () => {
  project = await makeProject({
    'config.toml': 'project_id = "types"\n[edge_runtime]\nenabled = false\n[api]\nschemas = ["public", "private"]\n',
    'migrations/20260101000000_all.sql': SCHEMA,
  })
  await startUndock(project)
})
afterAll(async () => {
  await endRunning()
  await project?.remove()
})

/** The CLI's types for a database. It rejects names of keys from earlier versions, so it gets a separate config file. */
async function cliTypes(folder: string, url: string): Promise<string> {
  const { api } = readProjectConfig(folder).config
  const own = await makeProject({
    'config.toml': `[api]\nschemas = ${JSON.stringify(api.schemas)}\nextra_search_path = ${JSON.stringify(api.extra_search_path)}\n`,
  })
  const child = spawn(join(PACKAGES, '.bin/supabase'), ['gen', 'types', '--lang', 'typescript', `--remote=${url}`], {
    cwd: own.folder,
    env: { ...process.env, HOME: project.folder, SUPABASE_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const { code, stdout, stderr } = await outcomeOf(child)
  await own.remove()
  expect(code, stderr).toBe(0)
  return stdout
}
const databaseUrl = ({ ports }: TestProject) =>
  `postgresql://postgres:postgres@127.0.0.1:${ports.SUPABASE_DB_PORT}/postgres`

test("generates the CLI's types, byte for byte", async () => {
  const { stdout, code } = await undock(project, 'types')
  expect(code).toBe(0)
  expect(stdout).toBe(await cliTypes(project.folder, databaseUrl(project)))
})

const others = (process.env.TYPES_PROJECTS ?? '').split(':').filter(Boolean)
test.skipIf(others.length === 0).each(others)("generates the CLI's types of %s", async (folder) => {
  const other = { ...(await makeProject({})), folder }
  const running = await startUndock(other, ['--exclude', 'functions'])
  try {
    const { stdout } = await undock(other, 'types')
    expect(stdout).toBe(await cliTypes(folder, databaseUrl(other)))
  } finally {
    await end(running, 'SIGTERM')
  }
})

test('checks a file in any formatting, and follows changes', async () => {
  const file = join(project.folder, 'database.types.ts')
  const check = () => undock(project, 'types', '--file', file, '--check')
  expect(await check()).toMatchObject({ code: 1, stderr: expect.stringContaining('does not exist') })
  expect((await undock(project, 'types', '--file', file)).code).toBe(0)
  const written = await readFile(file, 'utf8')
  await writeFile(file, written.replaceAll('"', "'").replaceAll(/\n\s*/g, '\n').replaceAll(',\n', ';\n'))
  expect(await check()).toMatchObject({ code: 0 })
  await writeFile(file, written.replace('"name": string', '"name": number'))
  expect(await check()).toMatchObject({ code: 1, stderr: expect.stringMatching(/is out of date from line \d+ on/) })

  const watching = launch(project, ['types', '--file', file, '--watch', '--format', 'wc -c'])
  await untilSaid(watching, 'whenever the schema changes')
  const client = new pg.Client(databaseUrl(project))
  await client.connect()
  await client.query('create table public.followed (id int primary key)')
  await expect.poll(() => readFile(file, 'utf8'), { timeout: 10_000 }).toContain('followed')
  await client.end()
  expect((await undock(project, 'reset')).code).toBe(0)
  await expect.poll(() => readFile(file, 'utf8'), { timeout: 60_000 }).not.toContain('followed')
  await end(watching, 'SIGINT')
  expect(watching.exitCode).toBe(0)
  expect(await undock(project, 'types', '--watch')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--file'),
  })
})
