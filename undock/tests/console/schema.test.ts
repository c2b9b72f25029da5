import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expectAccessible } from './accessibility.ts'
import { expect, test } from './fixtures.ts'

test('creates, changes and drops a table, each with a migration', async ({ page, backend }) => {
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

  await page.getByRole('link', { name: 'Row security and policies' }).click()
  await page.getByRole('button', { name: 'Turn row security off' }).click()
  await page.getByRole('button', { name: 'Review and apply' }).click()
  await dialog.getByRole('button', { name: 'Apply and write the migration' }).click()
  await expect(page.getByText('Row security is off: every privilege')).toBeVisible()

  await page.goBack()
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

test('tries a change first, showing its duration and blocked sessions, and rolls it back', async ({
  page,
  backend: { stack },
}) => {
  await page.goto('/tables/public/books?view=definition')
  await page.getByRole('button', { name: 'Drop books' }).click()
  const dialog = page.getByRole('dialog')
  const attempt = async (sql: string) => {
    await dialog.getByLabel('SQL').fill(sql)
    await dialog.getByRole('button', { name: 'Try it' }).click()
  }
  const result = dialog.getByRole('status')
  await attempt('alter table public.books alter column price type float8; create table public.later (id int)')
  await expect(result).toContainText(/took [\d.]+ m?s; it was rolled back/)
  await expect(result).toContainText(/public\.books: reads and writes wait; the whole table is rewritten/)
  await expect(result).not.toContainText('later')
  await attempt('create index on public.books (title)')
  await expect(result).toContainText('public.books: writes wait')
  await attempt('create view public.later as select 1 as one')
  await expect(result).toContainText('It locks no existing table.')
  await attempt('drop table public.books cascade')
  await expect(result).toContainText('public.books: reads and writes wait')
  await attempt('create index concurrently on public.books (title)')
  await expect(dialog.getByRole('alert')).toContainText('cannot run inside a transaction block')
  await expectAccessible(page, 'a trial')
  const { rows } = await stack.db.query<{ found: string }>({
    text: `select format_type(atttypid, null) || coalesce(to_regclass('public.later')::text, '') as found
      from pg_attribute where attrelid = 'public.books'::regclass and attname = 'price'`,
    values: [],
  })
  expect(rows).toEqual([{ found: 'numeric' }])
})

test('a diagram of many tables has groups, folds, and a list to find a table', { tag: '@nightly' }, async ({
  page,
  backend,
}) => {
  const tables = Array.from({ length: 60 }, (_, n) => {
    const parent = n < 40 && n % 10 > 0 ? `, parent bigint references atlas.t${n - (n % 10)}` : ''
    return `create table atlas.t${n} (id bigint primary key, title text, note text${parent});`
  })
  await backend.stack.db.exec(`create schema atlas; ${tables.join('\n')}`)
  await page.goto('/schema?schema=atlas')
  const box = (name: string) =>
    page.locator('.react-flow__node-table').filter({ has: page.getByRole('link', { name, exact: true }) })
  await expect(page.getByRole('button', { name: 'without foreign keys (20)' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'around t30 (10)' })).toBeVisible()
  await expect(page.locator('.react-flow__node-table')).toHaveCount(60)
  // Folded to their names, all fit into view, in about the screen's aspect ratio.
  await expect(page.getByText('note', { exact: true })).toHaveCount(0)
  for (const name of ['t0', 't39', 't59']) await expect(box(name)).toBeInViewport({ ratio: 0.99 })
  await expectAccessible(page, 'the diagram')

  const list = page.getByRole('navigation', { name: 'Tables of the diagram' })
  await page.getByLabel('Find tables and columns').fill('t4')
  await expect(list.getByRole('button')).toHaveText([
    't4',
    't40',
    't41',
    't42',
    't43',
    't44',
    't45',
    't46',
    't47',
    't48',
    't49',
  ])
  await list.getByRole('button', { name: 't44' }).click()
  await expect(page).toHaveURL(/table=atlas\.t44/)
  await expect(page.locator('.react-flow__viewport')).toHaveCSS('transform', /^matrix\(1, 0, 0, 1, /)
  await expect(box('t44')).toBeInViewport({ ratio: 0.99 })
  await box('t44').getByRole('button', { name: 'Columns of t44' }).click()
  await expect(box('t44')).toContainText('note')

  await page.getByLabel('Find tables and columns').fill('')
  await page.getByLabel('Shown for each table').selectOption('Keys')
  await expect(box('t1')).toContainText('parent')
  await expect(box('t1')).not.toContainText('note')
  await page.getByRole('button', { name: 'around t0 (10)' }).click()
  await expect(box('t1')).not.toContainText('parent')
  await expect(page.locator('.react-flow__edge-path')).toHaveCount(36)

  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save as SVG' }).click()
  const svg = await readFile(await (await saved).path(), 'utf8')
  expect(svg.match(/<path d="M[^"]*" fill="none"/g)).toHaveLength(36)
  expect(svg).toContain('>t59</text>')

  // A line links to the tables it joins.
  await page.locator('.react-flow__edge[data-id^="atlas.t39"]').dispatchEvent('click')
  for (const name of ['t39', 't30']) await expect(box(name)).toBeInViewport({ ratio: 0.99 })
  await expect(box('t0')).not.toBeInViewport()

  // On a narrow screen, a button opens the list.
  await page.setViewportSize({ width: 600, height: 800 })
  await expect(list).toBeHidden()
  await page.getByRole('button', { name: 'Tables', exact: true }).click()
  await list.getByRole('button', { name: 't59' }).click()
  await expect(list).toBeHidden()
  await expect(box('t59')).toBeInViewport({ ratio: 0.99 })
  await page.getByLabel('Schema').selectOption('All schemas')
  await expect(page.getByRole('button', { name: 'atlas: around t0 (10)' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'public: around authors (2)' })).toBeVisible()
})
