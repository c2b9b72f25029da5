// Supabase Cache Helpers for React Query in a browser. They parse each request's URL, so rows written by one component appear in
// another's list without a second request.
import type { Page } from '@playwright/test'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startStack, type TestStack } from '../../src/test-kit/start-stack.ts'
import { type OpenedPage, openPage } from '../support/browser-page.ts'
import { makeProject, type TestProject } from '../support/project.ts'
import type * as Books from './pages/books.tsx'

/** The time limit for events in a page on a busy machine. */
const TIMEOUT = { timeout: 30_000 }

let project: TestProject
let stack: TestStack
let opened: OpenedPage
let page: Page
const asked: string[] = []
beforeAll(async () => {
  project = await makeProject({
    'config.toml': 'project_id = "cache-helpers"\n[edge_runtime]\nenabled = false\n',
    'migrations/20260101000000_books.sql': `
      create table public.books (id int primary key, title text not null, year int not null);
      alter table public.books enable row level security;
      create policy "all" on public.books for all using (true);
      alter publication supabase_realtime add table public.books;
      insert into public.books values (1, 'Emma', 1815), (2, 'Ulysses', 1922);`,
  })
  stack = await startStack({ workdir: project.folder })
  opened = await openPage('books.tsx')
  page = opened.page
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (pathname === '/rest/v1/books') asked.push(`${request.method()} ${searchParams.get('year') ?? ''}`.trim())
  })
  await page.evaluate(([url, key]) => app.show(url, key), [stack.url, stack.keys.publishable] as const)
})
afterAll(async () => {
  await opened?.close()
  await stack?.stop()
  await project?.remove()
})

declare const app: typeof Books

const titles = () => page.locator('li').allTextContents()

test('a list has rows and a count, and shows an inserted row without refetching', async () => {
  await expect.poll(titles, TIMEOUT).toEqual(['Emma'])
  expect(await page.locator('output').textContent()).toBe('1')
  await page.getByRole('button').click()
  await expect.poll(titles, TIMEOUT).toEqual(['Dracula', 'Emma'])
  expect(asked.filter((request) => request !== 'GET')).toEqual(['GET lt.1900', 'POST'])
})

test('a row changed by another client reaches the page through Realtime', async () => {
  const heading = () => page.locator('h1').textContent()
  await expect.poll(heading, TIMEOUT).toBe('Ulysses')
  await expect.poll(() => page.locator('em').textContent(), TIMEOUT).toBe('SUBSCRIBED')
  await stack.query(`update public.books set title = 'Ulysses, revised' where id = 2`)
  await expect.poll(heading, TIMEOUT).toBe('Ulysses, revised')
})

test("the hook returns the Data API's error", async () => {
  await expect.poll(() => page.locator('mark').textContent(), TIMEOUT).toBe('PGRST116')
})
