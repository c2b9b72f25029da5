import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { makeProject, type TestProject } from '../support/project.ts'

const execute = promisify(execFile)

/** The folder of the tools' packages. */
export const PACKAGES = fileURLToPath(new URL('./node_modules', import.meta.url))

/** The path of a tool's command. */
export const foreignTool = (name: string): string => `${PACKAGES}/.bin/${name}`

/** Runs a program in a folder. @returns its exit code and its output on both streams */
export async function runIn(
  cwd: string,
  program: string,
  args: readonly string[],
): Promise<{ code: number; output: string }> {
  try {
    const { stdout, stderr } = await execute(program, args, { cwd })
    return { code: 0, output: stdout + stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { code, output: stdout + stderr }
  }
}

/** A project with two tables, a view, a function, an enum and row level security. */
export const makeLibrary = (): Promise<TestProject> =>
  makeProject({
    'config.toml': 'project_id = "foreign-tools"\n[edge_runtime]\nenabled = false\n',
    'migrations/20260101000000_books.sql': `
      create type public.genre as enum ('novel', 'essay');
      create table public.authors (id int primary key generated always as identity, name text not null);
      create table public.books (
        id bigint primary key generated always as identity, author int references public.authors, title text not null,
        genre public.genre not null default 'novel', tags text[], details jsonb, published date);
      create index on public.books (author);
      create view public.titles with (security_invoker = true) as select id, title from public.books;
      create function public.books_by(author_name text, at_most int default 10) returns setof public.books
        language sql stable as $$
          select b.* from public.books b join public.authors a on a.id = b.author where a.name = author_name limit at_most
        $$;
      alter table public.authors enable row level security;
      alter table public.books enable row level security;
      create policy "all read essays" on public.books for select to anon using (genre = 'essay');
      insert into public.authors (name) values ('Woolf');
      insert into public.books (author, title, genre) values (1, 'Orlando', 'novel'), (1, 'Street Haunting', 'essay');`,
  })
