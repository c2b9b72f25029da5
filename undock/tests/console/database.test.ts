import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from './fixtures.ts'

/** An application's sessions. */
async function connect(url: string, ...names: string[]): Promise<pg.Client[]> {
  return Promise.all(
    names.map(async (application_name) => {
      const client = new pg.Client({ connectionString: url, application_name })
      client.on('error', () => undefined)
      await client.connect()
      return client
    }),
  )
}

test('shows lock waits as a tree, cancels a statement and terminates a session', async ({
  page,
  backend: { stack },
}) => {
  test.skip(stack.engine.kind === 'pglite', 'PGlite has one session, so no statement waits')
  const [owner, waiter] = (await connect(stack.dbUrl, 'shop', 'worker')) as [pg.Client, pg.Client]
  await owner.query('begin')
  await owner.query("update public.authors set name = name || '!' where name = 'Author 3'")
  const refused = waiter.query("delete from public.authors where name = 'Author 3'").catch((error: unknown) => error)
  const [{ pid }] = (await owner.query('select pg_backend_pid() as pid')).rows as [{ pid: number }]
  await page.goto('/database?part=sessions')
  const lines = page.getByRole('table', { name: 'Sessions' }).getByRole('row')
  const waiting = lines.filter({ hasText: `waits for ${pid}` })
  await expect(waiting).toContainText('worker')
  const texts = await lines.allInnerTexts()
  expect(texts.findIndex((text) => text.includes('worker'))).toBe(texts.findIndex((text) => text.includes('shop')) + 1)
  await waiting.getByRole('button', { name: 'Cancel the statement' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the statement' }).click()
  expect(await refused).toMatchObject({ code: '57014' })
  await expect(waiting).toBeHidden()

  const lost = new Promise((resolve) => owner.once('end', () => resolve(true)))
  await lines.filter({ hasText: 'shop' }).getByRole('button', { name: 'End session' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End the session' }).click()
  expect(await lost).toBe(true)
  await expect(lines.filter({ hasText: 'shop' })).toBeHidden()
  const { rows } = await waiter.query("select name from public.authors where name like 'Author 3%'")
  expect(rows).toEqual([{ name: 'Author 3' }])
  await waiter.end()
})

test('counts statements, filters them and resets the counters', async ({ page, backend: { stack } }) => {
  const [client] = (await connect(stack.dbUrl, 'shop')) as [pg.Client]
  for (let run = 0; run < 7; run++) await client.query('select count(*) as ever_so_many from public.books')
  await client.end()
  await page.goto('/database?part=statements')
  await page.getByLabel('Search statements').fill('ever_so_many')
  const line = page.getByRole('table', { name: 'Statements' }).getByRole('row').filter({ hasText: 'ever_so_many' })
  await expect(line).toHaveCount(1)
  await expect(line.getByRole('cell').nth(2)).toHaveText('7')
  await page.getByRole('button', { name: 'Reset the statistics' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click()
  await expect(page.getByRole('dialog')).toBeHidden()
  await expect(line).toBeHidden()
})

test('sorts tables by cost, vacuums and analyzes them', async ({ page, backend: { stack } }) => {
  const [client] = (await connect(stack.dbUrl, 'shop')) as [pg.Client]
  await client.query('create table public.churn (id int); alter table public.churn enable row level security')
  await client.query('insert into public.churn select generate_series(1, 20000)')
  await client.query('delete from public.churn where id > 10')
  // An idle session reports its statistics after ten seconds.
  await client.query('select pg_stat_force_next_flush()')
  await page.goto('/database?part=tables')
  const table = page.getByRole('table', { name: 'Tables' })
  const line = table.getByRole('row').filter({ hasText: 'public.churn' })
  await expect(line).toContainText('19,990')
  await table.getByRole('button', { name: 'Dead rows' }).click()
  await expect(table.getByRole('row').nth(1)).toContainText('public.churn')
  await line.getByRole('button', { name: 'Vacuum' }).click()
  await expect(page.getByText('vacuum of public.churn is done.')).toBeVisible()
  await expect(line).not.toContainText('19,990')
  await line.getByRole('button', { name: 'Analyze' }).click()
  await expect(page.getByText('analyze of public.churn is done.')).toBeVisible()
  const { rows } = await client.query(
    "select last_vacuum is not null as vacuumed, last_analyze is not null as analyzed from pg_stat_user_tables where relname = 'churn'",
  )
  expect(rows).toEqual([{ vacuumed: true, analyzed: true }])
  await client.query('drop table public.churn')
  await client.end()
})

test('drops a redundant index with a migration', async ({ page, backend: { stack, folder } }) => {
  const [client] = (await connect(stack.dbUrl, 'shop')) as [pg.Client]
  await client.query('create index twice_over on public.books (id)')
  await page.goto('/database?part=indexes')
  const line = page.getByRole('table', { name: 'Indexes' }).getByRole('row').filter({ hasText: 'public.twice_over' })
  await expect(line).toContainText('the same as')
  await expect(
    page.getByRole('row').filter({ hasText: 'public.books_pkey' }).getByRole('button', { name: 'Drop' }),
  ).toHaveCount(0)
  await line.getByRole('button', { name: 'Rebuild public.twice_over' }).click()
  await expect(page.getByText('reindex of public.twice_over is done.')).toBeVisible()
  await line.getByRole('button', { name: 'Drop' }).click()
  await page.getByRole('button', { name: 'Apply and write the migration' }).click()
  await expect(line).toBeHidden()
  const files = await readdir(join(folder, 'supabase', 'migrations'))
  expect(files.filter((name) => name.endsWith('_drop_twice_over.sql'))).toHaveLength(1)
  await client.end()
})

test('shows server statistics and drops an unused replication slot', async ({ page, backend: { stack } }) => {
  await stack.db.query({ text: "select pg_create_physical_replication_slot('left_behind', true)", values: [] })
  await page.goto('/database')
  await expect(page.getByRole('term').filter({ hasText: 'Write-ahead log' })).toBeVisible()
  await expect(page.getByLabel('Point of the chart')).toBeVisible()
  await page.getByRole('button', { name: 'Drop slot left_behind' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Drop' }).click()
  await expect(page.getByText('No slots. A slot keeps')).toBeVisible()
})
