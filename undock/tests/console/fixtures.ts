import { test as base, expect } from '@playwright/test'
import { type Stack, startStack } from '../../src/runtime/stack/stack.ts'
import { makeProject } from '../support/project.ts'

export { expect }

/** A project with hostile texts: markup, scripts and quotes, which every screen must show as text. */
export const HOSTILE = `<img src=x onerror="globalThis.stolen = 1">'";--`

/** Where hostile emails would load content from. */
export const TRACKER = 'tracker.example'

const MIGRATION = `
  create type public.mood as enum ('calm', 'lively');
  create table public.authors (id uuid primary key default gen_random_uuid(), name text not null, born date, mood public.mood);
  create table public.books (
    id bigint generated always as identity primary key, title text not null, author uuid references public.authors,
    price numeric(8, 2), data jsonb, tags text[], is_open boolean default true, published timestamptz default now());
  alter table public.books enable row level security;
  create policy "everyone reads open books" on public.books for select using (is_open);
  insert into public.authors (name, born, mood) select 'Author ' || n, date '1950-01-01' + n, 'calm' from generate_series(1, 20) n;
  insert into public.books (title, author, price, data, tags, is_open)
    select 'Book ' || n, (select id from public.authors order by name offset n % 20 limit 1), n / 7.0,
      jsonb_build_object('n', n), array['a', 'b c'], n % 3 <> 0 from generate_series(1, 1500) n;
  insert into public.authors (name) values ($hostile$${HOSTILE}$hostile$);
  create view public.open_books as select id, title from public.books where is_open;
  create table public.no_key (a int, b text);
  insert into public.no_key select n, 'row ' || n from generate_series(1, 500) n;`

type WorkerFixtures = {
  /** A running backend with a console and its project folder. */
  backend: { readonly stack: Stack; readonly folder: string; readonly consoleUrl: string }
}

export const test = base.extend<{ faults: undefined }, WorkerFixtures>({
  backend: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs from this pattern
    async ({}, use) => {
      const project = await makeProject({
        'config.toml': 'project_id = "bookshop"\n[edge_runtime]\nenabled = false\n',
        'migrations/20260101000000_bookshop.sql': MIGRATION,
      })
      const stack = await startStack({ workdir: project.folder, ports: 'free', state: 'memory', console: true })
      if (!stack.consoleUrl) throw new Error('The console does not run.')
      await use({ stack, folder: project.folder, consoleUrl: stack.consoleUrl })
      await stack.stop()
      await project.remove()
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  baseURL: async ({ backend }, use) => use(backend.consoleUrl),
  /** Fails a test if a page throws, violates the Content-Security-Policy or runs code from the database. */
  faults: [
    async ({ page }, use) => {
      const faults: string[] = []
      page.on('pageerror', ({ message }) => faults.push(message))
      page.on('console', (message) => {
        // Violations in a message's frame are expected.
        const isOfMail =
          /\/api\/mail(?:-templates)?\/view\//.test(message.location().url) || message.text().includes(TRACKER)
        if (/Content Security Policy/.test(message.text()) && !isOfMail) faults.push(message.text())
      })
      await use(undefined)
      expect(faults).toEqual([])
      expect(await page.evaluate(() => 'stolen' in globalThis)).toBe(false)
    },
    { auto: true },
  ],
})
