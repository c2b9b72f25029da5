import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expectAccessible } from './accessibility.ts'
import { expect, test } from './fixtures.ts'

test('a cell of the matrix opens its explanation', async ({ page }) => {
  await page.goto('/policies')
  await expectAccessible(page, 'the matrix')
  await page.getByLabel('Show').selectOption('open')
  await page.getByLabel('Filter tables').fill('public.books')
  await page.getByRole('link', { name: 'anon select: policy' }).click()
  await expect(page).toHaveURL(/policies\/explain\?as=anon&action=select&target=public\.books/)
  await expect(page.getByRole('status')).toContainText('rows are seen: policy "everyone reads open books" is false')
  await expect(page.getByText(/^true for \d+ of 100 rows$/)).toBeVisible()
  await page.getByText('Value of each policy').first().click()
  await expect(page.getByText('everyone reads open books (using, for select): true').first()).toBeVisible()
  await expectAccessible(page, 'the explanation')
})

test('explains writes, files and topics, and rejects an invalid question with the reason', async ({ page }) => {
  await page.goto('/policies/explain')
  await page.getByLabel('Who').fill('anon')
  await page.getByLabel('Does what').selectOption('insert')
  await page.getByLabel('Table or view').fill('public.books')
  await page.getByLabel('Values').fill('{"title": "New"}')
  await page.getByRole('button', { name: 'Explain' }).click()
  await expect(page.getByRole('status')).toContainText('no policy allows insert')
  await expect(page.getByText('create policy "…" on public.books for insert to anon with check (…);')).toBeVisible()
  await page.getByLabel('Does what').selectOption('upload')
  await page.getByLabel('Bucket and path').fill('avatars/me.png')
  await page.getByRole('button', { name: 'Explain' }).click()
  await expect(page).toHaveURL(/action=upload/)
  await expect(page.getByRole('link', { name: 'storage.objects' })).toBeVisible()
  await page.getByLabel('Does what').selectOption('listen')
  await page.getByLabel('Topic').fill('room:1')
  await page.getByRole('button', { name: 'Explain' }).click()
  await expect(page.getByRole('link', { name: 'realtime.messages' })).toBeVisible()
  await page.getByLabel('Who').fill('nobody@example.com')
  await page.getByRole('button', { name: 'Explain' }).click()
  await expect(page.getByRole('alert')).toContainText('There is no user or role "nobody@example.com"')
})

test('tries a policy, applies it as a migration, changes and drops it', async ({ page, backend }) => {
  const migrations = async () => {
    const folder = join(backend.folder, 'supabase/migrations')
    const names = (await readdir(folder)).sort()
    return { names: names.map((name) => name.replace(/^\d+_/, '')), last: join(folder, names.at(-1) ?? '') }
  }
  const before = (await migrations()).names.length
  await page.goto('/policies/public/books')
  await expect(page.getByText('select for public')).toBeVisible()
  await page.getByRole('link', { name: 'New policy' }).click()
  await page.getByLabel('Begin with').selectOption('Signed-in users read all rows')
  await page.getByLabel('Using').fill('price > 100 and nope')
  await page.getByRole('button', { name: 'Try and roll back' }).click()
  await expect(page.getByRole('alert')).toContainText('column "nope" does not exist')
  await page.getByLabel('Using').fill('price > 100')
  await page.getByRole('button', { name: 'Try and roll back' }).click()
  const result = page.getByRole('status', { name: 'Result of the trial' })
  await expect(result).toContainText('Rows seen by authenticated now1,000 rows of 1500')
  await expect(result).toContainText('Rows seen by authenticated after the change1,267 rows of 1500')
  await expectAccessible(page, 'the editor')
  expect((await migrations()).names).toHaveLength(before)

  await page.getByRole('button', { name: 'Review and apply' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Apply and write the migration' }).click()
  await expect(page.getByText('select for authenticated')).toBeVisible()
  await expectAccessible(page, 'the policies of a table')
  expect(await readFile((await migrations()).last, 'utf8')).toContain('using (price > 100);')

  await page.getByRole('link', { name: 'Change signed-in users read' }).click()
  await page.getByLabel('Using').fill('price > 200')
  await expect(page.getByText('alter policy "signed-in users read" on "public"."books"')).toBeVisible()
  await page.getByRole('button', { name: 'Review and apply' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Apply and write the migration' }).click()
  await expect(page.getByText('using (price > (200)::numeric)')).toBeVisible()

  await page.getByRole('button', { name: 'Drop signed-in users read' }).click()
  await page.getByRole('button', { name: 'Review and apply' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Apply and write the migration' }).click()
  await expect(page.getByText('select for authenticated')).toBeHidden()
  expect((await migrations()).names.slice(before)).toEqual([
    'create_policy_books_signed_in_users_read.sql',
    'change_policy_books_signed_in_users_read.sql',
    'drop_policy_books_signed_in_users_read.sql',
  ])
})

test('tries row security before turning it on', { tag: '@nightly' }, async ({ page }) => {
  await page.goto('/policies/public/authors')
  await page.getByRole('button', { name: 'Turn row security on' }).click()
  await page.getByRole('button', { name: 'Try and roll back' }).click()
  const result = page.getByRole('status', { name: 'Result of the trial' })
  await expect(result).toContainText('after the change0 rows of ')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByText('Row security is off: every privilege')).toBeVisible()
})

test('reports views, missing tables and a filter without matches', { tag: '@nightly' }, async ({ page }) => {
  await page.goto('/policies/public/open_books')
  await expect(page.getByRole('heading', { name: 'A view has no policies' })).toBeVisible()
  await page.goto('/policies/public/nothing')
  await expect(page.getByRole('heading', { name: 'There is no table public.nothing' })).toBeVisible()
  await page.goto('/policies?search=nothing')
  await expect(page.getByRole('heading', { name: 'No matching tables' })).toBeVisible()
  await page.route('**/undock/v1/policies*', (route) => route.fulfill({ status: 500, json: { message: 'broken' } }))
  await page.goto('/policies')
  await expect(page.getByRole('alert')).toContainText('broken')
})
