import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { createClient } from '@supabase/supabase-js'
import { expectAccessible } from './accessibility.ts'
import { expect, test } from './fixtures.ts'

const editor = (page: Page) => page.getByRole('textbox', { name: 'SQL' })

async function run(page: Page, sql: string): Promise<void> {
  await editor(page).press('ControlOrMeta+a')
  await page.keyboard.insertText(sql)
  await page.keyboard.press('ControlOrMeta+Enter')
}

test('joins requests with their statements and project tables in a time range', async ({
  page,
  backend: { stack, folder },
}) => {
  const client = createClient(stack.url, stack.identity.keys.publishable, { auth: { persistSession: false } })
  await client.from('books').select('id').eq('id', 4).throwOnError()
  // Bars are at least a second wide.
  await page.waitForTimeout(2_500)
  await client.from('books').select('title').eq('id', 5).throwOnError()
  expect((await client.from('nothing').select()).error?.code).toBe('PGRST205')

  await page.goto('/logs/sql')
  const status = page.getByRole('status').filter({ hasText: / rows? in / })
  await run(
    page,
    `select r.path, r.role, count(*) as statements, (select count(*) from public.books) as books
    from requests r join statements s on s.request = r.id where r.path like '/rest/v1/books%' group by 1, 2 order by 1`,
  )
  const result = page.getByRole('region', { name: 'Result' })
  await expect(result).toContainText('/rest/v1/books?select=id&id=eq.4')
  await expect(result).toContainText('/rest/v1/books?select=title&id=eq.5')
  await expect(result).toContainText('1500')
  await expect(status).toContainText('2 rows')
  await expectAccessible(page, 'a result')

  // The first bar contains the first request but not the later one.
  const bars = page.getByRole('region', { name: 'Requests by time' }).getByRole('button')
  await bars.first().focus()
  await page.keyboard.press('Enter')
  await expect(result).not.toContainText('id=eq.5')
  await page.getByRole('button', { name: 'All', exact: true }).click()
  await expect(result).toContainText('id=eq.5')
  const box = await page.getByRole('region', { name: 'Requests by time' }).boundingBox()
  if (!box) throw new Error('There are no bars.')
  await page.mouse.move(box.x + box.width - 20, box.y + 30)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width / 2, box.y + 30, { steps: 5 })
  await page.mouse.up()
  await expect(result).not.toContainText('id=eq.4')
  await page.getByRole('button', { name: 'All', exact: true }).click()

  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download' }).click()
  expect(await readFile(await (await download).path(), 'utf8')).toMatch(
    /^path,role,statements,books\r\n\/rest\/v1\/books/,
  )
  await run(page, `select count(*) > 0 as logged, bool_and(jsonb_typeof(fields) = 'object') as whole from lines`)
  await expect(result).toContainText('loggedwhole')

  await run(page, `select status, path from requests where status >= 400 and path like '%nothing%'`)
  await expect(result).toContainText('404')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('refused')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await expect(page).toHaveURL(/snippet=logs%2Frefused/)
  expect(await readFile(join(folder, 'supabase/snippets/logs/refused.sql'), 'utf8')).toContain('status >= 400')
  await page.reload()
  await editor(page).press('ControlOrMeta+Enter')
  await expect(result).toContainText('404')

  await page.getByRole('button', { name: 'Delete logs/refused' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByRole('region', { name: 'Saved queries' })).toBeHidden()
})

test('a log query changes nothing, and a large result is truncated', async ({ page, backend: { stack } }) => {
  await page.goto('/logs/sql')
  const alert = page.getByRole('alert')
  await run(page, 'delete from public.no_key')
  await expect(alert).toContainText('cannot execute DELETE in a read-only transaction')
  await run(page, 'commit; delete from public.no_key')
  await expect(alert).toContainText('none of them can begin or end one')
  await run(page, 'set transaction read write; delete from public.no_key')
  await expect(alert).toContainText('cannot insert multiple commands')
  await run(page, 'select 1 +; from requests')
  await expect(alert).toContainText('syntax error')
  // Five gigabytes, of which the backend reads only what it shows.
  await run(page, `select repeat('x', 1000000) as wide from generate_series(1, 5000)`)
  await expect(page.getByRole('status').filter({ hasText: / rows in / })).toContainText('more rows')
  await run(page, 'select n from generate_series(1, 1000000) n')
  await expect(page.getByRole('status').filter({ hasText: '5,000 rows' })).toContainText('more rows')
  const { rows } = await stack.db.query<{ count: string }>({
    text: 'select count(*)::text as count from public.no_key',
    values: [],
  })
  expect(rows).toEqual([{ count: '500' }])
})
