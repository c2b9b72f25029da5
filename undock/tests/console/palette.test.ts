import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createClient } from '@supabase/supabase-js'
import { expectAccessible } from './accessibility.ts'
import { expect, test } from './fixtures.ts'

test('opens tables, snippets, buckets and users with the keyboard, and changes the theme', {
  tag: '@nightly',
}, async ({ page, backend }) => {
  const { stack, folder } = backend
  const service = createClient(stack.url, stack.identity.keys.secret, { auth: { persistSession: false } })
  const user_metadata = { full_name: 'Mary Palette' }
  const { data } = await service.auth.admin.createUser({ email: 'mary.palette@example.com', user_metadata })
  await service.storage.createBucket('palette-pictures')
  const snippet = join(folder, 'supabase', 'snippets', 'Palette report.sql')
  await mkdir(dirname(snippet), { recursive: true })
  await writeFile(snippet, 'select 42 as answer')

  await page.goto('/logs')
  await expect(page.getByRole('link', { name: 'Logs' })).toBeVisible()
  const palette = page.getByRole('dialog', { name: 'Search' })
  const choose = async (text: string, option: string | RegExp) => {
    await page.keyboard.press('ControlOrMeta+k')
    await palette.getByRole('combobox').fill(text)
    await expect(palette.getByRole('option', { name: option, selected: true })).toBeVisible()
    await page.keyboard.press('Enter')
    await expect(palette).toHaveCount(0)
  }
  await choose('palette rep', 'Palette report')
  await expect(page).toHaveURL(/\/sql\?snippet=Palette/)
  await expect(page.locator('.cm-content')).toContainText('select 42 as answer')
  await choose('palette-pic', 'palette-pictures')
  await expect(page).toHaveURL(/\/storage\/palette-pictures/)
  await choose('Mary Pal', /mary\.palette@example\.com/)
  await expect(page.getByRole('heading', { name: 'mary.palette@example.com' })).toBeVisible()
  await choose('add a user', 'Add a user')
  await expect(page.getByRole('dialog').getByLabel('Email', { exact: true })).toBeVisible()
  await page.keyboard.press('Escape')
  await choose('triggers', 'Schema: Triggers')
  await expect(page).toHaveURL(/\/schema\/triggers/)
  await choose('theme: dark', 'Theme: dark')
  await expect(page.getByRole('button', { name: 'Dark', pressed: true })).toBeVisible()
  await expect(page.locator('html')).toHaveCSS('background-color', 'rgb(20, 21, 19)')
  await choose('theme: system', 'Theme: system')
  await expect(page.locator('html')).toHaveCSS('background-color', 'rgb(251, 251, 250)')

  await page.keyboard.press('ControlOrMeta+k')
  await palette.getByRole('combobox').fill('there is no such thing')
  await expect(palette.getByText('Nothing has that name.')).toBeVisible()
  await palette.getByRole('combobox').fill('')
  await expectAccessible(page, 'the palette')

  // Other tests share the backend.
  await rm(snippet)
  await service.storage.deleteBucket('palette-pictures')
  await service.auth.admin.deleteUser(data.user?.id ?? '')
})

test("runs the screen's actions, and finds a key", async ({ page }) => {
  await page.goto('/tables/public/books')
  await expect(page.getByRole('grid')).toContainText('Book 1')
  await page.locator('body').press('/')
  await expect(page.getByLabel('Filter tables')).toBeFocused()
  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press('ControlOrMeta+k')
  const palette = page.getByRole('dialog', { name: 'Search' })
  const group = palette.getByRole('group', { name: 'On this screen' })
  for (const name of ['Insert', 'Export', 'Count', 'Filter', 'Last rows', 'Reload the rows'])
    await expect(group.getByRole('option', { name, exact: true })).toHaveCount(1)
  await palette.getByRole('combobox').fill('insert')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: /Insert|New row/ })).toBeVisible()
})
