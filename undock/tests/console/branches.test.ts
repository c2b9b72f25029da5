import pg from 'pg'
import { makeProject, type TestProject } from '../support/project.ts'
import { end, startUndock } from '../support/undock.ts'
import { expectAccessible } from './accessibility.ts'
import { expect, test } from './fixtures.ts'

let project: TestProject
let child: Awaited<ReturnType<typeof startUndock>>
test.beforeAll(async () => {
  project = await makeProject({
    'config.toml': 'project_id = "branches"\n[edge_runtime]\nenabled = false\n',
    'migrations/1_notes.sql':
      'create table public.notes (id int primary key); insert into public.notes values (1), (2)',
  })
  child = await startUndock(project)
})
test.afterAll(async () => {
  if (child) await end(child, 'SIGINT')
  await project?.remove()
})

const dbUrl = () => `postgresql://postgres:postgres@127.0.0.1:${project.ports.SUPABASE_DB_PORT}/postgres`

test('creates, switches, compares and deletes a branch; takes and restores a snapshot', async ({ page }) => {
  await page.goto(`http://127.0.0.1:${project.ports.SUPABASE_STUDIO_PORT}/branches`)
  await expect(page.getByRole('heading', { name: 'No snapshots yet' })).toBeVisible()
  await page.getByRole('button', { name: 'New branch' }).click()
  await page.getByLabel('Name').fill('two words')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await expect(page.getByRole('alert')).toContainText('"two words" is not a valid name for a branch')
  await page.getByLabel('Name').fill('try/tags')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await expect(page.getByText('The backend now uses the data of branch try/tags.')).toBeVisible()
  const current = page.getByRole('table', { name: 'Branches' }).getByRole('row', { name: /current/ })
  await expect(current).toContainText('try/tags')

  const sql = async (text: string): Promise<void> => {
    const database = new pg.Client({ connectionString: dbUrl() })
    await database.connect()
    await database.query(text)
    await database.end()
  }
  await page.getByRole('button', { name: 'Take a snapshot' }).first().click()
  await page.getByLabel('Name').fill('before')
  await page.getByRole('button', { name: 'Take it' }).click()
  await expect(page.getByText('Saved snapshot before.')).toBeVisible()
  await expectAccessible(page, 'branches and snapshots')
  await sql('create table public.tags (id int primary key)')
  await sql('insert into public.notes values (3)')

  await page.getByRole('button', { name: 'Compare main' }).click()
  await expect(page).toHaveURL(/compare=main/)
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('region', { name: 'SQL' })).toContainText('DROP TABLE "public"."tags"')
  await expect(dialog.getByRole('row', { name: 'public.notes 3 2' })).toBeVisible()
  await expectAccessible(page, 'a comparison')
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Restore before' }).click()
  await page.getByLabel('Type before to confirm').fill('before')
  await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click()
  await expect(page.getByText('The backend now uses the data of snapshot before.')).toBeVisible()
  await page.getByRole('button', { name: 'Compare main' }).click()
  await expect(dialog).toContainText('main has the same schema as try/tags.')
  await expect(dialog).toContainText('All tables have the same number of rows.')
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Delete the snapshot before' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  // The replaced data is kept.
  await expect(page.getByRole('button', { name: /^Delete the snapshot undo-snapshot-restore-/ })).toBeVisible()
  await page.getByRole('button', { name: 'Delete the branch main' }).click()
  await page.getByLabel('Type main to confirm').fill('main')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('Deleted branch main.')).toBeVisible()
  await expect(page.getByRole('table', { name: 'Branches' }).getByRole('row')).toHaveCount(2)
})
