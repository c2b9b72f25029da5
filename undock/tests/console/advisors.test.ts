import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import AxeBuilder from '@axe-core/playwright'
import { expect, test } from './fixtures.ts'

test('the advisors find issues, link to the table, and fix one in a migration and the declared schema', async ({
  page,
  backend: { stack, folder },
}) => {
  const declared = join(folder, 'supabase', 'schemas', 'tables.sql')
  await mkdir(join(declared, '..'))
  await writeFile(declared, 'create table public.no_key (a int, b text);\n')
  await page.goto('/advisors')
  const findings = page.getByRole('list', { name: 'Findings' })
  const unprotected = findings
    .getByRole('listitem')
    .filter({ hasText: 'Exposed table without row security' })
    .filter({ hasText: 'public.no_key' })
  await expect(unprotected).toBeVisible()
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([])
  await unprotected.getByRole('button', { name: 'Fix' }).click()
  await expect(page.getByRole('dialog').getByLabel('SQL')).toHaveValue(
    'alter table public.no_key enable row level security;',
  )
  await expect(page.getByLabel('Declarative schema file')).toHaveValue('supabase/schemas/tables.sql')
  await page.getByRole('button', { name: 'Apply and write the migration' }).click()
  await expect(unprotected).toBeHidden()
  expect(await readFile(declared, 'utf8')).toBe(
    'create table public.no_key (a int, b text);\n\nalter table public.no_key enable row level security;\n',
  )
  await rm(join(declared, '..'), { recursive: true })
  const { rows } = await stack.db.query<{ on: boolean }>({
    text: `select relrowsecurity as "on" from pg_class where oid = 'public.no_key'::regclass`,
    values: [],
  })
  expect(rows).toEqual([{ on: true }])

  await page.getByLabel('Category').selectOption('PERFORMANCE')
  await expect(page).toHaveURL(/category=PERFORMANCE/)
  const unindexed = findings.getByRole('listitem').filter({ hasText: 'Foreign key without an index' })
  await unindexed.getByRole('button', { name: 'Fix' }).click()
  await expect(page.getByRole('dialog').getByLabel('SQL')).toHaveValue('create index on public.books (author);')
  await page.keyboard.press('Escape')
  await unindexed.getByRole('link', { name: 'public.books' }).click()
  await expect(page).toHaveURL(/tables\/public\/books/)
})
