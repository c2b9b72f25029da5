import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { expectAccessible } from './accessibility.ts'
import { expect, test } from './fixtures.ts'

test.beforeEach(async ({ page }) => {
  await page.goto('/sql')
  await page.getByLabel('SQL', { exact: true }).waitFor()
})

async function type(page: Page, text: string): Promise<void> {
  await page.getByLabel('SQL', { exact: true }).press('ControlOrMeta+a')
  await page.keyboard.insertText(text)
}

test('runs a script, with each result and the position of an error', async ({ page }) => {
  await page.keyboard.insertText('select id, title from books order by id limit 3;\nselect nope from books')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(page.getByRole('alert')).toContainText('column "nope" does not exist')
  await expect(page.locator('.cm-lintRange-error')).toHaveText('nope')
  await expect(page.getByRole('alert')).toContainText('Line 2: ')
  await expect(page.locator('.cm-line.cm-failed-line')).toHaveText('select nope from books')
  await expect(page.locator('.cm-lineNumbers .cm-failed-line')).toHaveText('2')
  await page.getByRole('button', { name: '1 select' }).click()
  await expect(page.getByText('3 rows in')).toBeVisible()
  await type(page, 'select 1; update books b set title = b.ti')
  await expect(page.locator('.cm-tooltip-autocomplete li')).toHaveText(['title'])
  await type(page, 'select jsonb_arr')
  await expect(page.locator('.cm-tooltip-autocomplete')).toContainText('jsonb_array_elements')
})

test('scrolls to an error and counts its line in the whole editor', { tag: '@nightly' }, async ({ page }) => {
  await type(page, `-- first\n${'select 1;\n'.repeat(60)}-- the last\ninsert into no_key values (1, 2, 3)`)
  await page.getByLabel('SQL', { exact: true }).press('ControlOrMeta+Home')
  await page.getByRole('button', { name: 'Run' }).click()
  await expect(page.getByRole('alert')).toContainText('Line 63: INSERT has more expressions than target columns')
  await expect(page.locator('.cm-line.cm-failed-line')).toBeInViewport()
  // The selection starts further down.
  await type(page, 'select 1;\n\nselect 2;\nselect nope')
  await page.getByLabel('SQL', { exact: true }).press('ControlOrMeta+Home')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ControlOrMeta+Shift+End')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(page.getByRole('alert')).toContainText('Line 4: column "nope" does not exist')
  // Typing removes the mark.
  await page.getByLabel('SQL', { exact: true }).press('ControlOrMeta+End')
  await page.keyboard.insertText('e')
  await expect(page.locator('.cm-failed-line')).toHaveCount(0)
})

test("a trial run changes nothing; running as a user shows that user's rows", async ({ page, backend }) => {
  await page.keyboard.insertText('delete from books; select count(*) from books')
  await page.getByLabel('Undo all changes').check()
  await page.getByRole('button', { name: 'Run' }).click()
  await expect(page.getByRole('region', { name: 'Result' })).toContainText('0')
  const { rows } = await backend.stack.db.query<{ count: number }>({
    text: 'select count(*)::int from public.books',
    values: [],
  })
  expect(rows[0]?.count).toBe(1500)
  await page.getByLabel('Undo all changes').uncheck()
  await type(page, 'select count(*) from books')
  await page.getByLabel('View as a role or user').fill('anon')
  await page.getByRole('button', { name: 'Run' }).click()
  await expect(page.getByRole('region', { name: 'Result' })).toContainText('1000')
})

test('confirms a destructive script, naming what it destroys and how much', async ({ page, backend }) => {
  const count = async (table: string) =>
    (await backend.stack.db.query<{ n: number }>({ text: `select count(*)::int as n from ${table}`, values: [] }))
      .rows[0]?.n
  await page.keyboard.insertText(
    'create table lost as select generate_series(1, 42) n; create view seen as select * from lost',
  )
  await page.getByRole('button', { name: 'Run' }).click()
  await expect(page.getByRole('button', { name: '2 create' })).toBeVisible()
  const dialog = page.getByRole('dialog')
  await type(page, 'delete from lost; drop table if exists absent; drop table lost cascade')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(dialog).toContainText('deletes all 42 rows of lost: the statement has no WHERE')
  await expect(dialog).toContainText('drops the table lost with 42 rows, and by cascade:view seen')
  await expect(dialog).not.toContainText('absent')
  await expectAccessible(page, 'the question')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  expect(await count('public.lost')).toBe(42)

  // A rolled-back script destroys nothing.
  await page.getByLabel('Undo all changes').check()
  await page.getByRole('button', { name: 'Run' }).click()
  await expect(page.getByRole('button', { name: '3 drop' })).toBeVisible()
  await page.getByLabel('Undo all changes').uncheck()
  expect(await count('public.lost')).toBe(42)

  await page.getByRole('button', { name: 'Run' }).click()
  await dialog.getByLabel('Keep a copy of the data').uncheck()
  await dialog.getByRole('button', { name: 'Run' }).click()
  await expect(page.getByRole('button', { name: '3 drop' })).toBeVisible()
  expect(await count("pg_class where relname = 'lost'")).toBe(0)
})

test('offers a schema change as a migration', async ({ page, backend }) => {
  const folder = join(backend.folder, 'supabase', 'migrations')
  await page.keyboard.insertText("begin; create table by_script (id int); select 1; comment on table by_script is 'x'")
  await page.getByRole('button', { name: 'Run' }).click()
  await expect(page.getByText('A transaction is open in this tab.')).toBeVisible()
  await expect(page.getByText('no migration includes the change')).toBeHidden()
  await page.getByRole('button', { name: 'Commit' }).click()
  await expect(page.getByText('no migration includes the change')).toBeVisible()
  // The offer survives a reload.
  await page.reload()
  await page.getByRole('button', { name: 'Write a migration' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByLabel('Name of the migration')).toHaveValue('create_table_by_script')
  await dialog.getByRole('button', { name: 'Write the migration' }).click()
  await expect(page.getByText(/Written to supabase\/migrations\/\d+_create_table_by_script\.sql/)).toBeVisible()
  await expect(page.getByText('no migration includes the change')).toBeHidden()
  const file = (await readdir(folder)).find((name) => name.endsWith('by_script.sql')) ?? ''
  expect(await readFile(join(folder, file), 'utf8')).toBe(
    "create table by_script (id int);\ncomment on table by_script is 'x';\n",
  )
})

test('shows an open transaction and ends it with a click', { tag: '@nightly' }, async ({ page }) => {
  await page.keyboard.insertText("begin; update books set title = 'x' where id = 1")
  await page.getByRole('button', { name: 'Run' }).click()
  await expect(page.getByText('A transaction is open in this tab.')).toBeVisible()
  await page.getByRole('button', { name: 'Roll back' }).click()
  await expect(page.getByText('A transaction is open in this tab.')).toBeHidden()
})

test('cancels a long statement and shows a plan as a tree', async ({ page }) => {
  await page.keyboard.insertText('select pg_sleep(60)')
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByRole('timer').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('alert')).toContainText('canceling statement due to user request')
  await type(page, 'select count(*) from books join authors on authors.id = author')
  await page.getByRole('button', { name: 'Explain' }).click()
  await expect(page.getByText('the most time')).toBeVisible()
  await expect(page.getByText('on authors', { exact: true })).toBeVisible()
})

test('saves a script as a file and detects concurrent changes', async ({ page, backend }) => {
  const folder = join(backend.folder, 'supabase', 'snippets')
  await page.keyboard.insertText('select 1')
  await page.keyboard.press('ControlOrMeta+s')
  await page.getByLabel('Name', { exact: true }).fill('../outside')
  await page.getByLabel('Name', { exact: true }).press('Enter')
  await expect(page.getByRole('dialog').getByRole('alert')).toContainText('is not a valid name for a snippet')
  await page.getByLabel('Name', { exact: true }).fill('reports/daily')
  await page.getByLabel('Name', { exact: true }).press('Enter')
  await expect(page).toHaveURL(/\/sql\?snippet=reports%2Fdaily$/)
  expect(await readFile(join(folder, 'reports', 'daily.sql'), 'utf8')).toBe('select 1')

  await type(page, 'select 2')
  await expect(page.getByRole('button', { name: 'daily not saved' })).toBeVisible()
  await writeFile(join(folder, 'reports', 'daily.sql'), 'select 3')
  await page.keyboard.press('ControlOrMeta+s')
  await expect(page.getByRole('alert')).toContainText('reports/daily.sql was changed by another program')
  expect(await readFile(join(folder, 'reports', 'daily.sql'), 'utf8')).toBe('select 3')
  await expectAccessible(page, 'a file that has changed')
  await page.getByRole('button', { name: 'Overwrite the file' }).click()
  await expect(page.getByRole('alert')).toBeHidden()
  expect(await readFile(join(folder, 'reports', 'daily.sql'), 'utf8')).toBe('select 2')
  // Without unsaved changes, the tab follows the file.
  await writeFile(join(folder, 'reports', 'daily.sql'), 'select 4')
  await expect(page.getByLabel('SQL', { exact: true })).toHaveText('select 4')

  await page.getByRole('link', { name: 'daily' }).focus()
  await page.getByRole('button', { name: 'Rename reports/daily' }).click()
  await page.getByLabel('Name', { exact: true }).fill('weekly')
  await page.getByLabel('Name', { exact: true }).press('Enter')
  await expect(page).toHaveURL(/snippet=weekly$/)
  expect(await readdir(folder)).toEqual(['weekly.sql'])
})

test("opens a snippet from a link; a deleted snippet's text stays in the tab", { tag: '@nightly' }, async ({
  page,
  backend,
}) => {
  const folder = join(backend.folder, 'supabase', 'snippets')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'linked.sql'), 'select 41 + 1')
  await page.goto('/sql?snippet=linked')
  await expect(page.getByLabel('SQL', { exact: true })).toHaveText('select 41 + 1')
  // On a narrow screen, a button opens the snippets.
  await page.setViewportSize({ width: 600, height: 800 })
  await expect(page.getByRole('link', { name: 'linked' })).toBeHidden()
  await page.getByRole('button', { name: 'Snippets' }).click()
  await expect(page.getByRole('link', { name: 'linked' })).toBeVisible()
  await page.setViewportSize({ width: 1280, height: 720 })
  await page.getByRole('link', { name: 'linked' }).hover()
  await page.getByRole('button', { name: 'Delete linked' }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect(page.getByRole('link', { name: 'linked' })).toBeHidden()
  await expect(page.getByLabel('SQL', { exact: true })).toHaveText('select 41 + 1')
  await page.goto('/sql?snippet=linked')
  await expect(page.getByRole('alert')).toContainText('There is no file supabase/snippets/linked.sql.')
})

test('draws a chart, navigates it with the keyboard and exports the result', { tag: '@nightly' }, async ({ page }) => {
  await page.keyboard.insertText(
    "select mood::text as mood, count(*) as books, 2 as authors from generate_series(1, 3) n, lateral (values ('calm'), ('lively')) m (mood) where n > 1 or mood = 'calm' group by 1",
  )
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByRole('button', { name: 'Chart' }).click()
  await expect(page.locator('canvas')).toBeVisible()
  await page.getByLabel('authors').check()
  await page.getByLabel('Point of the chart').press('ArrowRight')
  await expect(page.getByLabel('Point of the chart')).toHaveAttribute(
    'aria-valuetext',
    /^mood lively, books 2, authors 2$/,
  )
  await expect(page.getByRole('table')).toContainText('calm')
  await expectAccessible(page, 'a chart')
  await page.getByLabel('Kind of the chart').selectOption('Line')
  await page.reload()
  await page.getByRole('button', { name: 'Run' }).click()
  await expect(page.getByLabel('Kind of the chart')).toHaveValue('line')
  await page.getByRole('button', { name: 'Table' }).click()
  await page.getByLabel('Format').selectOption('JSON')
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download' }).click()
  const file = await saved
  expect(file.suggestedFilename()).toBe('result.json')
  expect(JSON.parse(await readFile(await file.path(), 'utf8'))).toContainEqual({ mood: 'lively', books: 2, authors: 2 })
})
