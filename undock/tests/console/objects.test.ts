import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'

const violations = async (page: Page) => (await new AxeBuilder({ page }).analyze()).violations

async function lastMigration(folder: string): Promise<string> {
  const path = join(folder, 'supabase', 'migrations')
  const names = (await readdir(path)).sort()
  return `${names.at(-1)}\n${await readFile(join(path, names.at(-1) ?? ''), 'utf8')}`
}

test('the diagram shows tables and keys, finds a table and opens it', async ({ page }) => {
  await page.goto('/schema')
  await expect(page.getByText('React Flow')).toBeVisible()
  await expect(page.getByRole('link', { name: 'authors' })).toBeVisible()
  await expect(page.locator('.react-flow__edge-path')).toHaveCount(1)
  expect(await violations(page)).toEqual([])
  await page.getByLabel('Find tables and columns').fill('no_key')
  await expect(page).toHaveURL(/text=no_key/)
  await page.getByRole('link', { name: 'no_key' }).click()
  await expect(page).toHaveURL(/tables\/public\/no_key/)
})

test('creates, finds, changes and deletes a function with migrations', async ({ page, backend: { folder, stack } }) => {
  await page.goto('/schema/functions')
  await expect(page.getByRole('heading', { name: 'There is no function yet' })).toBeVisible()
  await page.getByRole('button', { name: 'New function' }).click()
  await page.getByRole('button', { name: 'Apply and write the migration' }).click()
  const line = page.getByRole('list', { name: 'Functions' }).getByRole('button', { name: /^greet/ })
  await line.click()
  expect(await lastMigration(folder)).toMatch(/add_function\.sql\ncreate function public\.greet/)
  expect(await violations(page)).toEqual([])

  await page.getByRole('button', { name: 'Change' }).click()
  const sql = page.getByRole('dialog').getByLabel('SQL')
  await sql.fill((await sql.inputValue()).replace('Hello', 'Good day'))
  await page.getByRole('button', { name: 'Apply and write the migration' }).click()
  await expect(page.getByRole('dialog')).toBeHidden()
  const { rows } = await stack.db.query<{ greet: string }>({ text: "select public.greet('Ada')", values: [] })
  expect(rows).toEqual([{ greet: 'Good day Ada' }])

  await page.getByRole('button', { name: 'Delete the function' }).click()
  await page.getByRole('button', { name: 'Apply and write the migration' }).click()
  await expect(page.getByRole('heading', { name: 'There is no function yet' })).toBeVisible()
  expect(await lastMigration(folder)).toContain('drop function greet(text);')
})

test('pauses a job and lists its runs', async ({ page, backend: { stack } }) => {
  await page.goto('/schema/cron')
  await page.getByRole('button', { name: 'Enable pg_cron' }).click()
  await page.getByRole('button', { name: 'Apply and write the migration' }).click()
  await page.getByRole('button', { name: 'New job' }).click()
  await page.getByRole('dialog').getByLabel('SQL').fill("select cron.schedule('tick', '1 second', 'select 1 / 0')")
  await page.getByRole('button', { name: 'Apply and write the migration' }).click()
  await page.getByRole('button', { name: /^tick/ }).click()
  await expect(page.getByRole('list', { name: 'Runs' }).getByText('division by zero').first()).toBeVisible()
  expect(await violations(page)).toEqual([])
  await page.getByRole('button', { name: 'Pause the job' }).click()
  await expect(page.getByRole('button', { name: 'Let the job run again' })).toBeVisible()
  const { rows } = await stack.db.query<{ active: boolean }>({ text: 'select active from cron.job', values: [] })
  expect(rows).toEqual([{ active: false }])
})

test('sends and deletes queue messages, and shows errors from Postgres', async ({ page }) => {
  await page.goto('/schema/queues')
  await page.getByRole('button', { name: 'Enable pgmq' }).click()
  await page.getByRole('button', { name: 'Apply and write the migration' }).click()
  await page.getByRole('button', { name: 'New queue' }).click()
  await page.getByRole('button', { name: 'Apply and write the migration' }).click()
  await page.getByRole('button', { name: /^my_queue/ }).click()
  await page.getByLabel('Message, as JSON').fill('{"n": 1')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByRole('alert')).toContainText('invalid input syntax for type json')
  await page.getByLabel('Message, as JSON').fill('{"n": "<b>1</b>"}')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByRole('list', { name: 'Messages' })).toContainText('{"n":"<b>1</b>"}')
  expect(await violations(page)).toEqual([])
  await page.getByRole('button', { name: 'Delete message 1' }).click()
  await expect(page.getByText('The queue is empty.')).toBeVisible()
})

test("shows a secret's value only on request and never in a migration", async ({ page, backend }) => {
  await page.goto('/schema/vault')
  await page.getByRole('button', { name: 'New secret' }).click()
  await page.getByLabel('Name').fill('api_key')
  await page.getByLabel('Value').fill('s3cr3t-value')
  await page.getByRole('button', { name: 'Save the secret' }).click()
  await page.getByRole('button', { name: /^api_key/ }).click()
  await expect(page.getByText('s3cr3t-value')).toBeHidden()
  await page.getByRole('button', { name: 'Show the value' }).click()
  await expect(page.getByText('s3cr3t-value')).toBeVisible()
  expect(await violations(page)).toEqual([])
  expect(await lastMigration(backend.folder)).not.toContain('s3cr3t-value')
  await page.getByRole('button', { name: 'Delete the secret' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'There is no secret yet' })).toBeVisible()
})

test('loads each list with all schemas and a search', async ({ page }) => {
  const found = {
    triggers: /^realtime\.|^storage\.|^auth\./,
    types: /mood/,
    indexes: /books_pkey/,
    extensions: /plpgsql/,
    publications: /supabase_realtime/,
    roles: /authenticator/,
  }
  for (const [section, name] of Object.entries(found)) {
    await page.goto(`/schema/${section}?schema=*`)
    const lines = page.getByRole('main').getByRole('list').last().getByRole('button')
    if (section === 'indexes' || section === 'roles') {
      await page.getByRole('searchbox').fill(section === 'indexes' ? 'books_pkey' : 'authenticator')
    }
    await expect(lines.filter({ hasText: name }).first()).toBeVisible()
  }
  await page.goto('/schema/webhooks')
  await expect(page.getByRole('heading', { name: 'There is no webhook yet' })).toBeVisible()
  await page.goto('/schema/nothing')
  await expect(page.getByRole('heading', { name: 'There is nothing called nothing here' })).toBeVisible()
})

test('creates a webhook and shows its target', async ({ page }) => {
  await page.goto('/schema/webhooks')
  await page.getByRole('button', { name: 'New webhook' }).click()
  const sql = page.getByRole('dialog').getByLabel('SQL')
  await sql.fill((await sql.inputValue()).replace('public.my_table', 'public.authors'))
  await page.getByRole('button', { name: 'Apply and write the migration' }).click()
  const line = page.getByRole('button', { name: /^my_webhook/ })
  await expect(line).toContainText('http://127.0.0.1:3000/hook')
  await line.click()
  await page.getByRole('button', { name: 'Delete the webhook' }).click()
  await page.getByRole('button', { name: 'Apply and write the migration' }).click()
  await expect(page.getByRole('heading', { name: 'There is no webhook yet' })).toBeVisible()
})
