import { expect, test } from './fixtures.ts'

test.beforeEach(async ({ page }) => {
  await page.goto('/sql')
  await page.getByLabel('SQL', { exact: true }).waitFor()
})

test('a script shows each result, and an error at its place', async ({ page }) => {
  await page.keyboard.insertText('select id, title from books order by id limit 3;\nselect nope from books')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(page.getByRole('alert')).toContainText('column "nope" does not exist')
  await expect(page.locator('.cm-lintRange-error')).toHaveText('nope')
  await page.getByRole('button', { name: '1 select' }).click()
  await expect(page.getByText('3 rows in')).toBeVisible()
})

test('a script on trial changes nothing; one as a user sees what the user sees', async ({ page, backend }) => {
  await page.keyboard.insertText('delete from books; select count(*) from books')
  await page.getByLabel('Take all changes back').check()
  await page.getByRole('button', { name: 'Run' }).click()
  await expect(page.getByRole('region', { name: 'Result' })).toContainText('0')
  const { rows } = await backend.stack.db.query<{ count: number }>({
    text: 'select count(*)::int from public.books',
    values: [],
  })
  expect(rows[0]?.count).toBe(1500)
  await page.getByLabel('Take all changes back').uncheck()
  await page.getByLabel('SQL', { exact: true }).press('ControlOrMeta+a')
  await page.keyboard.insertText('select count(*) from books')
  await page.getByLabel('View as a role or user').fill('anon')
  await page.getByRole('button', { name: 'Run' }).click()
  await expect(page.getByRole('region', { name: 'Result' })).toContainText('1000')
})

test('an open transaction shows, and ends by a click', async ({ page }) => {
  await page.keyboard.insertText("begin; update books set title = 'x' where id = 1")
  await page.getByRole('button', { name: 'Run' }).click()
  await expect(page.getByText('A transaction is open in this tab.')).toBeVisible()
  await page.getByRole('button', { name: 'Roll back' }).click()
  await expect(page.getByText('A transaction is open in this tab.')).toBeHidden()
})

test('a long statement is cancelled; the plan of one is a tree', async ({ page }) => {
  await page.keyboard.insertText('select pg_sleep(60)')
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByRole('timer').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('alert')).toContainText('canceling statement due to user request')
  await page.getByLabel('SQL', { exact: true }).press('ControlOrMeta+a')
  await page.keyboard.insertText('select count(*) from books join authors on authors.id = author')
  await page.getByRole('button', { name: 'Explain' }).click()
  await expect(page.getByText('the most time')).toBeVisible()
  await expect(page.getByText('on authors', { exact: true })).toBeVisible()
})
