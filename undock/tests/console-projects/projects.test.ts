// Opens every screen and table of third-party projects, and every screen of a large database. CONSOLE_PROJECTS lists folders that
// contain supabase/, separated by colons; a small project is always included. UNDOCK_ENGINE selects the engine. With SCREENS=1, each
// test's results include screenshots; docs/screens keeps those used by a page.
import { basename, delimiter } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, type Page, test } from '@playwright/test'
import { createClient } from '@supabase/supabase-js'
import { type Stack, startStack } from '../../src/runtime/stack/stack.ts'
import { SCREENS } from '../console/screen-titles.ts'
import { makeProject } from '../support/project.ts'

const SAMPLE = fileURLToPath(new URL('../../bench/project', import.meta.url))
const FOLDERS = [SAMPLE, ...(process.env.CONSOLE_PROJECTS ?? '').split(delimiter).filter(Boolean)]
/** The maximum number of tables to open. */
const MAX_TABLES = 60
const SETTLED_MS = 500

for (const folder of FOLDERS) {
  test(`the console on ${basename(folder)}`, async ({ page }, { outputPath }) => {
    const pictures = process.env.SCREENS === '1' ? outputPath : null
    const stack = await startStack({ workdir: folder, ports: 'free', state: 'memory', console: true })
    try {
      const faults = watchFaults(page)
      await makeRequests(stack)
      await page.goto(String(stack.consoleUrl))
      await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible()
      const names = await page.getByRole('navigation').first().getByRole('link').allInnerTexts()
      for (const name of names) await openScreen(page, name, pictures)
      await openTables(page)
      await runStatement(page)
      expect(faults).toEqual([])
    } finally {
      await stack.stop()
    }
  })
}

test('the console on 560 tables, a million rows and ten thousand users', async ({ page }) => {
  const tables = (schema: string, count: number) =>
    Array.from({ length: count }, (_, n) => {
      const parent = n % 10 > 0 ? `, parent bigint references ${schema}.t${n - (n % 10)}` : ''
      return `create table ${schema}.t${n} (id bigint primary key, title text, note text${parent});`
    }).join('\n')
  const project = await makeProject({
    'config.toml': 'project_id = "large"\n[edge_runtime]\nenabled = false\n',
    'migrations/20260101000000_large.sql': `create schema atlas; ${tables('atlas', 500)} ${tables('public', 59)}
      create table public.books (id bigint generated always as identity primary key, title text not null, price numeric, data jsonb);
      insert into public.books (title, price, data)
        select 'Book ' || n, n % 1000 / 7.0, jsonb_build_object('n', n) from generate_series(1, 1000000) n;`,
  })
  const stack = await startStack({ workdir: project.folder, ports: 'free', state: 'memory', console: true })
  try {
    await stack.db.exec(`
      insert into auth.users (id, instance_id, aud, role, email, email_confirmed_at, created_at, updated_at, raw_app_meta_data, raw_user_meta_data)
        select gen_random_uuid(), '00000000-0000-0000-0000-000000000000', 'authenticated', 'authenticated', 'user' || n || '@example.org',
          now(), now() - n * interval '1 minute', now(), '{}', '{}' from generate_series(1, 10000) n;
      analyze public.books`)
    const faults = watchFaults(page)
    await makeRequests(stack)
    for (const [path, title] of Object.entries(SCREENS)) {
      await page.goto(`${stack.consoleUrl}${path.replace('/policies/public/books', '/policies/public/t1')}`)
      await expect(page).toHaveTitle(new RegExp(`^${title.replace('.books', '.(books|t1)')} · `))
      await page.waitForLoadState('networkidle')
      if (!path.includes('absent')) await expect(page.getByRole('alert')).toHaveCount(0)
    }
    await page.goto(`${stack.consoleUrl}/tables/public/books`)
    await page.getByRole('button', { name: 'Last rows' }).click()
    await expect(page.getByRole('gridcell', { name: 'Book 1000000', exact: true })).toBeVisible()
    await page.getByLabel('Find in all texts').fill('book 999999')
    await page.keyboard.press('Enter')
    await expect(page.getByText(/^1 row /)).toBeVisible()
    await page.getByRole('button', { name: 'Remove the filter on any text' }).click()
    await page.getByRole('button', { name: 'Count' }).click()
    await page.getByLabel('Column').selectOption('price')
    await expect(page.getByText('1,000 different values, the 100 most frequent')).toBeVisible()
    await page.goto(`${stack.consoleUrl}/users`)
    await page.getByLabel('Search users').fill('user777@')
    await expect(page.getByRole('list', { name: 'List of users' }).getByRole('listitem')).toHaveCount(1)
    await page.goto(`${stack.consoleUrl}/schema?schema=atlas`)
    await expect(page.getByRole('button', { name: 'around t0 (10)' })).toBeVisible()
    expect(faults).toEqual([])
  } finally {
    await stack.stop()
    await project.remove()
  }
})

function watchFaults(page: Page): string[] {
  const faults: string[] = []
  page.on('pageerror', ({ message }) => faults.push(message))
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) faults.push(message.text())
  })
  page.on('response', (response) => {
    if (response.status() >= 500) faults.push(`${response.status()} ${response.url()}`)
  })
  return faults
}

/** Creates a user, a rejected request and a successful one. */
async function makeRequests({ url, identity }: Stack): Promise<void> {
  const options = { auth: { persistSession: false } }
  const visitor = createClient(url, identity.keys.publishable, options)
  await visitor.auth.signUp({ email: 'ada@example.org', password: 'correct horse battery' })
  await visitor.from('no_such_table').select()
  await createClient(url, identity.keys.secret, options).storage.listBuckets()
}

type Pictures = ((file: string) => string) | null

async function openScreen(page: Page, name: string, pictures: Pictures): Promise<void> {
  await page.getByRole('navigation').first().getByRole('link', { name, exact: true }).click()
  await settle(page, name)
  if (pictures) await picture(page, name, pictures)
}

async function picture(page: Page, name: string, pathOf: (file: string) => string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.waitForTimeout(SETTLED_MS)
    const file = name.toLowerCase().replaceAll(' ', '-')
    await page.screenshot({ path: pathOf(`console-${file}-${colorScheme}.png`) })
  }
}

async function settle(page: Page, what: string): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 }).or(page.getByRole('main')).first(), what).toBeVisible()
  await expect(page.getByRole('status').filter({ hasText: '…' }), what).toHaveCount(0)
  await expect(page.getByRole('alert'), what).toHaveCount(0)
}

const open = (page: Page, path: string) => page.goto(new URL(path, page.url()).href)

async function openTables(page: Page): Promise<void> {
  await open(page, '/tables')
  const tables = page.getByRole('complementary').last().getByRole('link')
  await tables.first().waitFor()
  const paths = await tables.evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''))
  for (const path of paths.slice(0, MAX_TABLES)) {
    await open(page, path)
    await expect(page.getByRole('grid'), path).toBeVisible()
    await settle(page, path)
  }
}

async function runStatement(page: Page): Promise<void> {
  await open(page, '/sql')
  await page.getByLabel('SQL', { exact: true }).waitFor()
  await page.keyboard.insertText('select table_schema, table_name from information_schema.tables order by 1, 2')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(page.getByText(/rows in/)).toBeVisible()
}
