import { expectAccessible } from './accessibility.ts'
import { expect, test } from './fixtures.ts'
import { SCREENS } from './screen-titles.ts'

test('each screen has one heading and its own title, and fits a narrow screen', async ({ page }) => {
  await page.setViewportSize({ width: 600, height: 800 })
  for (const [path, title] of Object.entries(SCREENS)) {
    await page.goto(path)
    await expect(page, path).toHaveTitle(`${title} · bookshop`)
    await expect(page.getByRole('heading', { level: 1 }), path).toHaveCount(1)
    expect.soft(await page.evaluate(() => document.documentElement.scrollWidth), path).toBe(600)
  }
})

test('a narrow screen shows only the list until an item is selected, then a button to it', {
  tag: '@nightly',
}, async ({ page }) => {
  await page.setViewportSize({ width: 600, height: 800 })
  await page.goto('/tables')
  await expect(page.getByText('Choose a table')).toBeHidden()
  const books = page.getByRole('link', { name: /^books/ })
  await books.click()
  await expect(page.getByRole('gridcell', { name: 'Book 1', exact: true })).toBeVisible()
  await expect(books).toBeHidden()
  await page.getByRole('button', { name: 'Tables', exact: true }).click()
  await page.getByRole('link', { name: /^authors/ }).click()
  await expect(page.getByRole('grid', { name: 'Rows of authors' })).toBeVisible()
  await expect(books).toBeHidden()
})

test('an empty grid is accessible, and the current view of a table is marked', async ({ page, backend }) => {
  await backend.stack.db.exec('create table public.nothing (id bigint primary key)')
  await page.goto('/tables/public/nothing')
  await expect(page.getByText('There are no rows')).toBeVisible()
  await expectAccessible(page, 'no rows')
  const current = page.getByRole('navigation', { name: 'Views of the table' }).locator('[aria-current=page]')
  await expect(current).toHaveText('Rows')
  await page.getByRole('link', { name: 'Definition' }).click()
  await expect(current).toHaveText('Definition')
  await page.goto('/realtime?view=clients')
  await expect(page.getByRole('navigation', { name: 'Views' }).locator('[aria-current=page]')).toHaveText('Connected')
})

test('names keys like the operating system', { tag: '@nightly' }, async ({ page, browser, baseURL }) => {
  await page.goto('/sql')
  await expect(page.getByText('Ctrl+K')).toBeVisible()
  await expect(page.getByText('Run the script with Ctrl+Enter.')).toBeVisible()
  const context = await browser.newContext({ baseURL: baseURL ?? '' })
  const mac = await context.newPage()
  await mac.addInitScript(() => Object.defineProperty(navigator, 'platform', { get: () => 'MacIntel' }))
  await mac.goto('/sql')
  await expect(mac.getByText('⌘K')).toBeVisible()
  await expect(mac.getByText('Run the script with ⌘Enter.')).toBeVisible()
  await context.close()
})
