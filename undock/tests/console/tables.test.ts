import type { Page } from '@playwright/test'
import { expectAccessible } from './accessibility.ts'
import { expect, test } from './fixtures.ts'

test('finds, edits and undoes a row, and views it as another user', async ({ page, backend }) => {
  await page.goto('/tables')
  await page.getByRole('link', { name: /^books/ }).click()
  const grid = page.getByRole('grid', { name: 'Rows of books' })
  await expect(grid.getByText('Book 1', { exact: true })).toBeVisible()

  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByLabel('Column').selectOption('title')
  await page.getByLabel('Value').fill('Book 7')
  await page.getByRole('button', { name: 'Apply' }).click()
  await expect(page.getByText(/^1 row /)).toBeVisible()
  await grid.getByText('Book 7', { exact: true }).dblclick()
  await page.getByRole('textbox', { name: 'title' }).fill('Book seven')
  await page.keyboard.press('Enter')
  await expect(page.getByText('1 value saved.')).toBeVisible()
  const title = async () =>
    (
      await backend.stack.db.query<{ title: string }>({
        text: 'select title from public.books where id = 7',
        values: [],
      })
    ).rows[0]?.title
  expect(await title()).toBe('Book seven')
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(title).toBe('Book 7')

  // Every third book isn't open, so the policy hides it.
  await page.goto('/tables/public/books?sort=id')
  await page.getByLabel('View as a role or user').fill('anon')
  await page.keyboard.press('Enter')
  await expect(grid.getByText('Book 4', { exact: true })).toBeVisible()
  await expect(grid.getByText('Book 3', { exact: true })).toBeHidden()
  await grid.getByText('Book 4', { exact: true }).dblclick()
  await page.getByRole('textbox', { name: 'title' }).fill('not allowed')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('alert')).toContainText('Row security does not let anon change this row')
  await expect(grid.getByText('Book 4', { exact: true })).toBeVisible()
})

test('searches all columns and filters by counted values', async ({ page }) => {
  await page.goto('/tables/public/books')
  await page.getByLabel('Find in all texts').fill('Book 150%')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'No rows match the filters' })).toBeVisible()
  await page.getByRole('button', { name: 'Remove the filter on any text' }).click()
  // Text of a JSON value, and a part of a word.
  await page.getByLabel('Find in all texts').fill('"N": 149')
  await page.keyboard.press('Enter')
  await expect(page.getByText(/^11 rows /)).toBeVisible()

  await page.getByRole('button', { name: 'Count' }).click()
  const dialog = page.getByRole('dialog', { name: 'Values of books' })
  await dialog.getByLabel('Column').selectOption('is_open')
  await expect(dialog.getByText('2 different values')).toBeVisible()
  const values = dialog.getByRole('list', { name: 'Values' }).getByRole('listitem')
  await expect(values).toHaveText([/^true8$/, /^false3$/])
  await expectAccessible(page, 'counted values')
  await values.first().getByRole('button').click()
  await expect(dialog).toBeHidden()
  await expect(page.getByText(/^8 rows /)).toBeVisible()
  await expect(page).toHaveURL(/filters=/)
})

test('navigates, copies, pastes and clears cells with the keyboard', async ({ page, context, backend }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/tables/public/authors?sort=name')
  await page.getByRole('gridcell', { name: 'Author 1', exact: true }).click()
  await page.keyboard.press('Shift+ArrowDown')
  await page.keyboard.press('Shift+ArrowRight')
  await page.keyboard.press('ControlOrMeta+c')
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('Author 1\t1950-01-02\nAuthor 10\t1950-01-11')
  await page.evaluate(() => navigator.clipboard.writeText('Pasted one\t1999-01-01\nPasted two\t'))
  await page.keyboard.press('ControlOrMeta+v')
  await expect(page.getByText('4 values saved.')).toBeVisible()
  const read = async () =>
    (
      await backend.stack.db.query<{ name: string; born: string | null }>({
        text: "select name, born::text from public.authors where name like 'Pasted%' order by name",
        values: [],
      })
    ).rows
  expect(await read()).toEqual([
    { name: 'Pasted one', born: '1999-01-01' },
    { name: 'Pasted two', born: null },
  ])
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(read).toEqual([])
})

test('inserts and deletes rows, and shows errors from Postgres', async ({ page }) => {
  await page.goto('/tables/public/authors?sort=-name')
  await page.getByRole('button', { name: 'Insert' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('name').fill('Zed')
  await dialog.getByLabel('born').fill('not a date')
  await dialog.getByRole('button', { name: 'Insert' }).click()
  await expect(dialog.getByRole('alert')).toContainText('invalid input syntax for type date: "not a date"')
  await dialog.getByLabel('born').fill('2001-02-03')
  await dialog.getByLabel('mood').selectOption('lively')
  await dialog.getByRole('button', { name: 'Insert' }).click()
  await expect(page.getByRole('gridcell', { name: 'Zed' })).toBeVisible()
  await page.getByLabel('Select row 1', { exact: true }).check()
  await page.getByRole('button', { name: 'Delete 1 row' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByRole('gridcell', { name: 'Zed' })).toBeHidden()
})

test('sets one value on marked rows and undoes it', { tag: '@nightly' }, async ({ page, backend }) => {
  const moods = async () =>
    (
      await backend.stack.db.query<{ moods: string }>({
        text: `select string_agg(mood::text, ',' order by name) as moods from public.authors
          where name in ('Author 1', 'Author 10', 'Author 11')`,
        values: [],
      })
    ).rows[0]?.moods
  await page.goto('/tables/public/authors?sort=name')
  for (const name of ['Author 1', 'Author 11'])
    await page
      .getByRole('row')
      .filter({ has: page.getByText(name, { exact: true }) })
      .getByRole('checkbox')
      .check()
  // Rows stay marked in another order.
  await page.getByRole('button', { name: /^born/ }).click()
  await page.getByRole('button', { name: 'Edit 2 rows' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Column').selectOption('mood')
  await dialog.getByLabel('New value').selectOption('lively')
  await expectAccessible(page, 'bulk edit')
  await dialog.getByRole('button', { name: 'Change 2 rows' }).click()
  await expect(page.getByText('mood of 2 rows changed.')).toBeVisible()
  expect(await moods()).toBe('lively,calm,lively')
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(moods).toBe('calm,calm,calm')
})

test('scrolls a long table without pages, even without a primary key', async ({ page }) => {
  await page.goto('/tables/public/no_key')
  const grid = page.getByRole('grid')
  await expect(page.getByText('200 rows so far')).toBeVisible()
  await grid.focus()
  await pressUntilSeen(page, 'row 500')
  await page.getByText('row 500', { exact: true }).dblclick()
  await expect(page.getByRole('alert')).toContainText('This table has no primary key')
  // A view's rows are paged by offset, because they have no key.
  await page.goto('/tables/public/open_books')
  await expect(page.getByText('200 rows so far')).toBeVisible()
  await page.getByRole('grid').focus()
  await pressUntilSeen(page, 'Book 700')
})

/** Presses PageDown until a row appears; it can't go past the loaded rows. */
async function pressUntilSeen(page: Page, text: string): Promise<void> {
  await expect(async () => {
    await page.keyboard.press('PageDown')
    await expect(page.getByText(text, { exact: true })).toBeVisible({ timeout: 100 })
  }).toPass({ intervals: [100] })
}

test('shows markup as text, and follows a foreign key to its row', async ({ page }) => {
  await page.goto('/tables/public/authors?filters=%5B%5B%22name%22%2C%22like%22%2C%22%3Cimg%25%22%5D%5D')
  await expect(page.getByText('<img src=x onerror')).toBeVisible()
  await page.goto('/tables/public/books')
  await page.getByRole('link', { name: 'Open the row of authors' }).first().click()
  await expect(page).toHaveURL(/authors/)
  await expect(page.getByText(/^1 row /)).toBeVisible()
})

test('reports a missing table and an unreachable backend', { tag: '@nightly' }, async ({ page }) => {
  await page.goto('/tables/public/nothing')
  await expect(page.getByRole('heading', { name: 'There is no table public.nothing' })).toBeVisible()
  await page.goto('/')
  await page.route('**/api/query', (route) => route.abort())
  await page.getByRole('link', { name: 'Tables' }).click()
  await expect(page.getByRole('alert')).toContainText('The backend does not respond')
  await page.unroute('**/api/query')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('link', { name: /^books/ })).toBeVisible()
})

/** The number of rows that Page Up moves. */
const ROWS_OF_A_PAGE = 15

test('jumps to the last row or any part of a large table immediately', { tag: '@nightly' }, async ({
  page,
  backend,
}) => {
  await backend.stack.db.exec(`
    create table public.many (id bigint primary key, name text not null, score int);
    insert into public.many select n, 'Name ' || n, nullif(n % 1000, 0) from generate_series(1, 60000) n;
    analyze public.many`)
  await page.goto('/tables/public/many')
  const grid = page.getByRole('grid', { name: 'Rows of many' })
  await expect(grid.getByText('Name 1', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Last rows' }).click()
  await expect(grid.getByText('Name 60000', { exact: true })).toBeVisible()
  await expect(page).toHaveURL(/part=end/)
  // The query reads the index backwards and no rows from the start.
  await page.getByTitle('Show the statement and its plan').click()
  await expect(page.getByRole('dialog')).toContainText('Index Scan')
  await expect(page.getByRole('dialog')).toContainText('order by "id" desc')
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).first().click()
  // Rows load above the visible ones, which don't move.
  await grid.focus()
  const readActive = () =>
    grid.evaluate((element) =>
      Number(document.getElementById(element.getAttribute('aria-activedescendant') ?? '')?.textContent ?? 'none'),
    )
  let active = 60_000
  // A key pressed before the rows above have loaded stops at the first loaded row.
  for (let presses = 0; active > 59_550; presses += 1) {
    expect(presses).toBeLessThan(100)
    const before = active
    await page.keyboard.press('PageUp')
    await expect.poll(async () => (active = await readActive())).toBeLessThanOrEqual(before)
    expect(active).toBeGreaterThanOrEqual(before - 2 * ROWS_OF_A_PAGE)
  }
  await expect(grid.getByText(`Name ${active}`, { exact: true })).toBeInViewport()

  await page.keyboard.press('ControlOrMeta+ArrowUp')
  await expect(grid.getByText('Name 1', { exact: true })).toBeVisible()
  await page.keyboard.press('ControlOrMeta+End')
  await expect(grid.getByText('Name 60000', { exact: true })).toBeVisible()

  await page.getByLabel('Part of the rows in percent').fill('50')
  await page.getByLabel('Part of the rows in percent').press('ArrowRight')
  await expect(page).toHaveURL(/part=51/)
  await expect(grid.getByText(/^Name (?:29|30|31)\d{3}$/).first()).toBeVisible()
  await page.getByRole('button', { name: 'First rows' }).click()
  await expect(grid.getByText('Name 1', { exact: true })).toBeVisible()

  // Rows with NULL are last in a sorted column.
  await page.goto('/tables/public/many?sort=-score&part=end')
  await expect(grid.getByText('Name 60000', { exact: true })).toBeVisible()
  await grid.focus()
  for (let n = 0; n < 6; n += 1) await page.keyboard.press('PageUp')
  await expect(grid.getByText('Name 59001', { exact: true })).toBeVisible()
  // A table without a key is read by the position of its rows.
  await page.goto('/tables/public/no_key?part=end')
  await expect(page.getByRole('gridcell', { name: 'row 500', exact: true })).toBeVisible()
  await expectAccessible(page, 'the last rows')
})
