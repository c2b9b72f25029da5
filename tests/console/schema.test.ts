import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from './fixtures.ts'

test('a table is made, changed and dropped, and each change is a migration', async ({ page, backend }) => {
  const migrations = async () => (await readdir(join(backend.folder, 'supabase/migrations'))).sort()
  await page.goto('/tables')
  await page.getByRole('button', { name: 'New table' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name', { exact: true }).first().fill('shelves')
  await dialog.getByRole('button', { name: 'Add a column' }).click()
  const column = dialog.getByRole('group', { name: 'Column 3' })
  await column.getByLabel('Name').fill('author')
  await dialog.getByRole('group', { name: 'Column author' }).getByLabel('Type').fill('uuid')
  await dialog.getByRole('group', { name: 'Column author' }).getByLabel('References').fill('public.authors.id')
  await dialog.getByRole('button', { name: 'Show the SQL' }).click()
  await expect(dialog.getByLabel('SQL')).toHaveValue(/"author" uuid references "public"."authors" \("id"\)/)
  await dialog.getByRole('button', { name: 'Apply and write the migration' }).click()
  await expect(page.getByText(/written to supabase\/migrations\/\d+_create_shelves\.sql/)).toBeVisible()
  await expect(page.getByRole('heading', { name: 'public.shelves' })).toBeVisible()
  const path = (await migrations()).find((name) => name.endsWith('_create_shelves.sql')) ?? ''
  expect(await readFile(join(backend.folder, 'supabase/migrations', path), 'utf8')).toContain(
    'alter table "public"."shelves" enable row level security;',
  )

  await page.getByRole('link', { name: 'Definition' }).click()
  await page.getByRole('button', { name: 'Change the column author' }).click()
  await dialog.getByLabel('Name', { exact: true }).fill('owner')
  await dialog.getByRole('button', { name: 'Show the SQL' }).click()
  await dialog.getByLabel('SQL').fill('alter table public.shelves rename column nope to owner')
  await dialog.getByRole('button', { name: 'Apply and write the migration' }).click()
  await expect(dialog.getByRole('alert')).toContainText('column "nope" does not exist')
  await dialog.getByLabel('SQL').fill('alter table public.shelves rename column author to owner')
  await dialog.getByRole('button', { name: 'Apply and write the migration' }).click()
  await expect(page.getByRole('cell', { name: 'owner', exact: true })).toBeVisible()

  await page.getByRole('button', { name: 'Turn row security off' }).click()
  await dialog.getByRole('button', { name: 'Apply and write the migration' }).click()
  await expect(page.getByText('Row security is off: whoever')).toBeVisible()

  await page.getByRole('button', { name: 'Drop shelves' }).click()
  await dialog.getByRole('button', { name: 'Apply and write the migration' }).click()
  await expect(page.getByRole('heading', { name: 'Choose a table' })).toBeVisible()
  const names = (await migrations()).map((name) => name.replace(/^\d+_/, '')).filter((name) => /shelves/.test(name))
  expect(names).toEqual([
    'create_shelves.sql',
    'change_shelves_author.sql',
    'row_security_shelves.sql',
    'drop_shelves.sql',
  ])
})
