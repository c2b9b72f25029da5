import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@supabase/supabase-js'
import { startStack } from '../../src/runtime/stack/stack.ts'
import { makeProject } from '../support/project.ts'
import { expectAccessible } from './accessibility.ts'
import { test as base, expect } from './fixtures.ts'

/** An empty project. */
const test = base.extend<object, { backend: Awaited<ReturnType<typeof startEmpty>> }>({
  backend: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs from this pattern
    async ({}, use) => {
      const backend = await startEmpty()
      await use(backend)
      await backend.stack.stop()
      await backend.remove()
    },
    { scope: 'worker', timeout: 60_000 },
  ],
})

async function startEmpty() {
  const { folder, remove } = await makeProject({
    'config.toml': 'project_id = "first-app"\n[edge_runtime]\nenabled = false\n',
  })
  const stack = await startStack({ workdir: folder, ports: 'free', state: 'memory', console: true })
  return { stack, folder, consoleUrl: stack.consoleUrl ?? '', remove }
}

test('a new user creates a table, a policy, a user and a bucket, and finds out why a request is refused', async ({
  page,
  backend: { stack, folder },
}) => {
  const dialog = page.getByRole('dialog')
  const apply = async () => {
    await dialog.getByRole('button', { name: 'Apply and write the migration' }).click()
    await expect(page.getByText(/^Applied, and written to supabase\/migrations\//).last()).toBeVisible()
    await expect(dialog).toBeHidden()
  }
  const steps = page.getByRole('region', { name: 'First steps' }).getByRole('listitem')

  await page.goto('/')
  await expectAccessible(page, 'the guide')
  await page.getByRole('link', { name: 'Create a table' }).click()
  await dialog.getByLabel('Name', { exact: true }).first().fill('notes')
  await dialog.getByRole('button', { name: 'Add a column' }).click()
  await dialog.getByRole('group', { name: 'Column 3' }).getByLabel('Name').fill('body')
  await dialog.getByRole('button', { name: 'Add the owner of a row' }).click()
  await dialog.getByRole('button', { name: 'Show the SQL' }).click()
  await apply()
  await expect(page.getByText('Row security is on, but no policy exists')).toBeVisible()
  await page.getByRole('link', { name: 'Write a policy' }).click()
  await page.getByLabel('Begin with').selectOption({ label: 'Users read their own rows' })
  await page.getByRole('button', { name: 'Review and apply …' }).click()
  await apply()

  await page.getByRole('link', { name: 'Overview' }).click()
  await expect(steps.getByLabel('Done')).toHaveCount(2)
  await page.getByRole('link', { name: 'Add a user' }).click()
  await dialog.getByLabel('Email', { exact: true }).fill('ada@example.com')
  await dialog.getByLabel('Password').fill('correct horse')
  await dialog.getByRole('button', { name: 'Create user' }).click()
  await expect(page.getByRole('heading', { name: 'ada@example.com' })).toBeVisible()
  await page.getByRole('link', { name: 'Overview' }).click()
  await page.getByRole('link', { name: 'Create a bucket' }).click()
  await dialog.getByLabel('Name').fill('avatars')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('button', { name: 'As a migration …' }).click()
  await apply()
  await page.getByRole('link', { name: 'Policies' }).last().click()
  await page.getByRole('link', { name: 'New policy' }).click()
  await page
    .getByLabel('Begin with')
    .selectOption({ label: 'Users do everything with files in the folder of their id' })
  await page.getByRole('button', { name: 'Review and apply …' }).click()
  await apply()
  await page.getByRole('link', { name: 'Overview' }).click()
  await expect(page.getByRole('region', { name: 'First steps: all done' })).toBeVisible()

  // Row security hides other users' rows from a signed-out app and denies its writes.
  const supabase = createClient(stack.url, stack.identity.keys.publishable)
  const insert = () => supabase.from('notes').insert({ body: 'Hello' })
  expect((await insert()).error?.code).toBe('42501')
  await page.getByRole('region', { name: 'First steps' }).getByRole('link', { name: 'Requests' }).click()
  await page
    .getByRole('link', { name: /\/rest\/v1\/notes/ })
    .first()
    .click()
  await page.getByRole('button', { name: 'Explain access' }).click()
  const access = page.getByRole('region', { name: 'Access' })
  await expect(access.getByRole('status')).toContainText(
    'Postgres refuses the insert (42501): no policy allows insert.',
  )
  await access.getByRole('link', { name: 'Write another policy' }).click()
  await expect(page.getByLabel('Command').first()).toHaveValue('INSERT')
  await expect(page.getByLabel('anon', { exact: true })).toBeChecked()
  await page.getByLabel('Begin with').selectOption({ label: 'Users insert their own rows' })
  await page.getByRole('button', { name: 'Review and apply …' }).click()
  await apply()
  await supabase.auth.signInWithPassword({ email: 'ada@example.com', password: 'correct horse' })
  expect(await insert()).toMatchObject({ error: null, status: 201 })
  await page.getByRole('link', { name: 'Requests' }).click()
  await expect(page.getByRole('link', { name: /201.*POST.*\/rest\/v1\/notes/ })).toBeVisible()

  // The files alone recreate everything.
  const files = await readdir(join(folder, 'supabase', 'migrations'))
  expect(files.map((name) => name.replace(/^\d+_/, ''))).toEqual([
    'create_notes.sql',
    'create_policy_notes_users_read_their_own.sql',
    'bucket_avatars.sql',
    'create_policy_objects_own_folder_of_avatars.sql',
    'create_policy_notes_users_insert_their_own.sql',
  ])
  await stack.reset()
  const { rows } = await stack.db.query({
    text: `select (select count(*)::int from pg_policies where tablename in ('notes', 'objects')) as policies,
      (select array_agg(id) from storage.buckets) as buckets`,
    values: [],
  })
  expect(rows).toEqual([{ policies: 3, buckets: ['avatars'] }])

  await page.goto('/starters/chat')
  await expect(page.getByRole('region', { name: 'Text of supabase/migrations/<time>_chat.sql' })).toContainText(
    'create table public.messages',
  )
  await expectAccessible(page, 'the starter')
  await page.getByRole('button', { name: 'Write these files and apply them' }).click()
  await expect(page.getByText(/^It was applied/)).toBeVisible()
  expect(await readFile(join(folder, 'supabase', 'seed.sql'), 'utf8')).toContain('insert into public.rooms')
  await page.reload()
  await expect(page.getByText(/cannot be added here: the table public.rooms/)).toBeVisible()
  await page.getByRole('link', { name: 'Tables' }).first().click()
  await page.getByRole('link', { name: /^messages/ }).click()
  await expect(page.getByRole('gridcell', { name: 'Hello! Is anybody here?' })).toBeVisible()
})
