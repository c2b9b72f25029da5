import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { expectAccessible } from './accessibility.ts'
import { expect, test } from './fixtures.ts'

const choose = (page: Page, name: string, text: string) =>
  page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })

test('imports a file completely or not at all, and names rejected values', async ({ page, backend }) => {
  const count = async () =>
    (
      await backend.stack.db.query<{ n: number }>({
        text: "select count(*)::int as n from public.authors where name like 'Imported%'",
        values: [],
      })
    ).rows[0]?.n
  await page.goto('/tables/public/authors')
  await page.getByRole('button', { name: 'Import' }).click()
  const dialog = page.getByRole('dialog', { name: 'Import into authors' })
  await choose(page, 'authors.csv', 'Full name,Born,Mood\nImported 1,1990-01-01,calm\n"Imported\n2",soon,odd\n')
  // Columns with similar names are matched; the other one is selected.
  await expect(dialog.getByText('name needs a value, and the file gives none.')).toBeVisible()
  await dialog.getByLabel('Column for Full name').selectOption('name')
  const faults = dialog.getByRole('list', { name: 'Rejected values' })
  await expect(faults.getByRole('listitem')).toHaveText([
    'Line 3, column born: invalid input syntax for type date: "soon"',
    'Line 3, column mood: invalid input value for enum mood: "odd"',
  ])
  await expect(dialog.getByRole('button', { name: 'Import' })).toBeDisabled()
  await expectAccessible(page, 'import')

  const lines = Array.from({ length: 3_000 }, (_, n) => `Imported ${n},2000-01-01`)
  await choose(page, 'more.csv', ['name,born', ...lines.with(2_500, 'Imported,2000-02-30')].join('\n'))
  await expect(dialog.getByText('Imported 98')).toBeVisible()
  await dialog.getByRole('button', { name: 'Import' }).click()
  await expect(dialog.getByRole('alert')).toContainText(
    'Line 2502, column born: date/time field value out of range: "2000-02-30"',
  )
  await expect(dialog.getByText('No row was imported.')).toBeVisible()
  expect(await count()).toBe(0)

  await choose(page, 'more.json', JSON.stringify(lines.map((line) => ({ name: line.split(',')[0], mood: 'lively' }))))
  await dialog.getByRole('button', { name: 'Import' }).click()
  await expect(page.getByText('3,000 rows imported into authors.')).toBeVisible()
  await expect(dialog).toBeHidden()
  expect(await count()).toBe(3_000)

  const { rows } = await backend.stack.db.query<{ id: string }>({
    text: "select id from public.authors where name like 'Imported%' limit 1",
    values: [],
  })
  const again = `id,name\n${rows[0]?.id},Imported again\n`
  await page.getByRole('button', { name: 'Import' }).click()
  await choose(page, 'name.csv', 'name\nImported\n')
  await dialog.getByLabel('A row whose key is taken').selectOption('updates the row of the table')
  await expect(dialog.getByText('Rows are updated by their primary key, and the file gives no id.')).toBeVisible()
  await choose(page, 'again.csv', again)
  await dialog.getByLabel('A row whose key is taken').selectOption('is skipped')
  await dialog.getByRole('button', { name: 'Import' }).click()
  await expect(page.getByText('0 rows imported into authors. 1 row skipped.')).toBeVisible()
  await page.getByRole('button', { name: 'Import' }).click()
  await choose(page, 'again.csv', again)
  await dialog.getByLabel('A row whose key is taken').selectOption('updates the row of the table')
  await dialog.getByRole('button', { name: 'Import' }).click()
  await expect(page.getByText('1 row imported into authors.')).toBeVisible()
  expect(await count()).toBe(3_000)
  await backend.stack.db.query({ text: "delete from public.authors where name like 'Imported%'", values: [] })
})

test('exports all filtered rows as CSV, JSON and SQL', async ({ page }) => {
  const filters = encodeURIComponent(JSON.stringify([['id', '<=', '1203']]))
  await page.goto(`/tables/public/books?sort=-id&filters=${filters}&dialog=export`)
  const save = async (format: string) => {
    const dialog = page.getByRole('dialog', { name: 'Export books' })
    await dialog.getByRole('radio', { name: format }).check()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Export' }).click(),
    ])
    await page.getByRole('button', { name: 'Export' }).click()
    expect(download.suggestedFilename()).toBe(`books.${format.toLowerCase()}`)
    return readFile(await download.path(), 'utf8')
  }
  const csv = (await save('CSV')).split('\r\n')
  expect(csv[0]).toBe('id,title,author,price,data,tags,is_open,published')
  expect(csv[1]).toMatch(/^1203,Book 1203,[\w-]{36},171\.86,"\{""n"": 1203\}","\{a,""b c""\}",f,/)
  expect(csv.length).toBe(1 + 1_203 + 1)
  const json = JSON.parse(await save('JSON')) as { id: number; tags: string[] }[]
  expect([json.length, json[0]?.id, json[1_202]?.tags]).toEqual([1_203, 1_203, ['a', 'b c']])
  const sql = await save('SQL')
  expect(sql).toContain(
    'insert into "public"."books" ("id", "title", "author", "price", "data", "tags", "is_open", "published") overriding system value values\n',
  )
  expect(sql.match(/^ {2}\(/gm)?.length).toBe(1_203)
})
