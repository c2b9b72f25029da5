import { readFile } from 'node:fs/promises'
import AxeBuilder from '@axe-core/playwright'
import { createClient } from '@supabase/supabase-js'
import { expect, HOSTILE, test } from './fixtures.ts'

test.beforeEach(async ({ backend: { stack } }) => {
  const client = createClient(stack.url, stack.identity.keys.publishable)
  await client.from('books').select('id, title').eq('id', 4).single().throwOnError()
})

test('shows a request live, opens, explains and copies it', async ({ page, context, backend: { stack } }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/requests')
  await expect(page.getByText('live', { exact: true })).toBeVisible()
  const client = createClient(stack.url, stack.identity.keys.publishable)
  await client.from('books').select('id').eq('title', HOSTILE)
  const refused = await client.from('books').insert({ title: 'not allowed' })
  expect(refused.error?.code).toBe('42501')

  const list = page.getByRole('list', { name: 'Requests' })
  await expect(list.getByRole('link', { name: /POST \/rest\/v1\/books/ })).toBeVisible()
  await page.getByLabel('Failed').check()
  await expect(page).toHaveURL(/failed=true/)
  await expect(list.getByRole('link', { name: /GET \/rest\/v1\/books/ })).toBeHidden()
  await list
    .getByRole('link', { name: /POST \/rest\/v1\/books/ })
    .first()
    .click()

  const sql = page
    .getByRole('group')
    .filter({ hasText: /insert/i })
    .last()
  await sql.locator('summary').click()
  await expect(sql).toContainText('42501')
  await page.getByLabel('Row').fill('{"title": "not allowed"}')
  await page.getByRole('button', { name: 'Explain access' }).click()
  await expect(page.getByRole('region', { name: 'Access' })).toContainText('Postgres refuses the insert (42501)')
  await expect(page.getByRole('region', { name: 'Access' })).toContainText('create policy')
  await page.getByRole('button', { name: 'Copy as curl' }).click()
  const curl = await page.evaluate(() => navigator.clipboard.readText())
  expect(curl).toContain(`curl -X POST '${stack.url}/rest/v1/books'`)
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([])
})

test('filters the list by text, pauses it and navigates it with the keyboard', { tag: '@nightly' }, async ({
  page,
  backend: { stack },
}) => {
  await page.goto('/requests?text=books')
  const links = page.getByRole('list', { name: 'Requests' }).getByRole('link')
  await expect(links.first()).toBeVisible()
  await page.getByRole('button', { name: 'Pause' }).click()
  const before = await page.getByText(/^\d+ requests?$/).textContent()
  await createClient(stack.url, stack.identity.keys.publishable).from('books').select('title').eq('id', 99)
  await links.first().focus()
  await page.keyboard.press('ArrowDown')
  await expect(links.nth(1)).toBeFocused()
  expect(await page.getByText(/^\d+ requests?$/).textContent()).toBe(before)
  await page.getByRole('button', { name: 'Follow' }).click()
  await expect(links.filter({ hasText: 'id=eq.99' }).first()).toBeVisible()
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([])
  await page.getByLabel('Search requests').fill('nothing has this')
  await expect(page.getByRole('heading', { name: 'No matching requests' })).toBeVisible()
})

test('saves and reopens requests, and rejects another file', { tag: '@nightly' }, async ({ page }) => {
  await page.goto('/requests')
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const path = await (await saved).path()
  expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ undock: 1 })
  const archive = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save as HAR' }).click()
  const har = await (await archive).path()
  expect(JSON.parse(await readFile(har, 'utf8')).log.version).toBe('1.2')

  const input = page.getByLabel('File of saved requests')
  await input.setInputFiles({ name: 'x.har', mimeType: 'application/json', buffer: await readFile(har) })
  await expect(page.getByRole('alert')).toContainText('This is an HTTP Archive')
  await input.setInputFiles({ name: 'saved.json', mimeType: 'application/json', buffer: await readFile(path) })
  await expect(page.getByText('of saved.json')).toBeVisible()
  await page.getByRole('list', { name: 'Requests' }).getByRole('link', { name: /books/ }).first().click()
  await expect(page.getByRole('heading', { name: 'GET /rest/v1/books' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Explain access' })).toBeHidden()
  await page.reload()
  await expect(page.getByRole('heading', { name: 'This request is not kept' })).toBeVisible()
})

test('follows and filters the log, and opens the request of a line', async ({ page, backend: { stack } }) => {
  await page.goto('/logs')
  const lines = page.getByRole('region', { name: 'Lines of the log' })
  await createClient(stack.url, stack.identity.keys.publishable).from('books').select('title').eq('id', 77)
  await page.getByLabel('Search the log').fill('rest/v1/books')
  await expect(lines.getByText(/GET \/rest\/v1\/books/).last()).toBeVisible()
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([])
  await lines.getByRole('link').last().click()
  await expect(page.getByRole('heading', { name: 'GET /rest/v1/books' })).toBeVisible()
  await page.getByRole('link', { name: 'Logs' }).last().click()
  await expect(page).toHaveURL(/request=/)
  await expect(page.getByText('1 line', { exact: true })).toBeVisible()
  await page.getByLabel('Level').selectOption('error')
  await expect(page.getByRole('heading', { name: 'No matching lines' })).toBeVisible()
})

test('reports a discarded request and an unavailable timeline', { tag: '@nightly' }, async ({ page }) => {
  await page.goto('/requests/00000000-0000-0000-0000-000000000000')
  await expect(page.getByRole('heading', { name: 'This request is not kept' })).toBeVisible()
  await page.route('**/undock/v1/requests?*', (route) =>
    route.fulfill({ status: 409, json: { message: 'The timeline is off.' } }),
  )
  await page.goto('/requests')
  await expect(page.getByRole('alert')).toContainText('The timeline is off.')
})
