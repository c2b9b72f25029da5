import { existsSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { type Browser, chromium, type Page } from '@playwright/test'
import { startStack } from '../src/runtime/stack/stack.ts'
import { CHROMIUM } from '../tests/support/chromium.ts'
import { makeProject } from '../tests/support/project.ts'
import { describeFrames, scroll, watchInputs } from './frames.ts'
import { median, milliseconds, table } from './table.ts'

const SYSTEM_CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
const TABLES = 500
const ROWS = 1_000_000
const ROUNDS = 5
const RESULT_ROWS = 100_000

const MIGRATION = `
  do $$ begin for n in 1 .. ${TABLES - 1} loop
    execute format('create table public.table_%s (id bigint primary key, title text)', n);
  end loop; end $$;
  create table public.events (id bigint primary key, kind text, at timestamptz, data jsonb);
  insert into public.events select n, 'kind ' || n % 7, timestamptz '2026-01-01' + n * interval '1 second', jsonb_build_object('n', n)
    from generate_series(1, ${ROWS}) n;
  analyze public.events;`

/** The console in Chromium, on a project with many tables and one large one. Its client is the one that \`npm run console\` has built. */
export async function benchConsole(): Promise<string> {
  const project = await makeProject({
    'config.toml': 'project_id = "large"\n[edge_runtime]\nenabled = false\n',
    'migrations/20260101000000_large.sql': MIGRATION,
  })
  const stack = await startStack({ workdir: project.folder, ports: 'free', state: 'memory', console: true })
  const browser = await chromium.launch({
    ...(existsSync(SYSTEM_CHROMIUM) ? { executablePath: SYSTEM_CHROMIUM } : CHROMIUM),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  })
  try {
    const first: FirstScreen[] = []
    for (let round = 0; round < ROUNDS; round++) first.push(await openFirst(browser, String(stack.consoleUrl)))
    const page = await browser.newPage({ baseURL: String(stack.consoleUrl), viewport: { width: 1440, height: 900 } })
    const inputs = await filterTables(page)
    await page.goto('/tables/public/events')
    await page.getByRole('gridcell', { name: 'kind 1', exact: true }).first().waitFor()
    const { frames, longTasks } = await scroll(page, '[role=grid]')
    const reached = await page.getByRole('row').last().getAttribute('aria-rowindex')
    const result = await runLarge(page)
    return table(
      ['', 'figure'],
      [
        ['overview, in a browser that has nothing of it', milliseconds(median(first.map(({ time }) => time)))],
        ['its JavaScript, compressed', `${Math.round((first[0]?.script ?? Number.NaN) / 1000)} KB`],
        [
          `slowest of ${inputs.length} keys that filter ${TABLES} tables, until the screen shows it`,
          milliseconds(Math.max(...inputs)),
        ],
        [
          `frames in time while a table of ${ROWS.toLocaleString('en')} rows scrolls, up to row ${reached}`,
          describeFrames(frames),
        ],
        ['tasks longer than 50 ms meanwhile', String(longTasks.length)],
        [`a result of ${RESULT_ROWS.toLocaleString('en')} rows (10 MB), until it is shown`, milliseconds(result.time)],
        ['longest task of the page meanwhile', milliseconds(result.longest)],
      ],
    )
  } finally {
    await browser.close()
    await stack.stop()
    await project.remove()
  }
}

type FirstScreen = { readonly time: number; readonly script: number }

async function openFirst(browser: Browser, url: string): Promise<FirstScreen> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  const started = performance.now()
  await page.goto(url)
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  const time = performance.now() - started
  const scripts = await page.evaluate(() =>
    performance.getEntriesByType('resource').flatMap(({ name }) => (name.endsWith('.js') ? [name] : [])),
  )
  const sizes = await Promise.all(
    scripts.map(async (name) => gzipSync(await (await page.request.get(name)).body()).length),
  )
  const script = sizes.reduce((sum, size) => sum + size, 0)
  await context.close()
  return { time, script }
}

async function filterTables(page: Page): Promise<number[]> {
  await page.goto('/tables')
  const field = page.getByRole('searchbox', { name: 'Filter tables' })
  await field.waitFor()
  const read = await watchInputs(page)
  await field.pressSequentially('table_49', { delay: 50 })
  await page.getByRole('link', { name: 'table_499' }).waitFor()
  return read()
}

async function runLarge(page: Page): Promise<{ time: number; longest: number }> {
  await page.goto('/sql')
  await page.getByLabel('Maximum rows per result').selectOption('100000')
  await page.getByLabel('SQL', { exact: true }).focus()
  await page.keyboard.insertText(`select n, repeat('x', 95) as text from generate_series(1, ${RESULT_ROWS}) n`)
  await page.evaluate(() => {
    const tasks: number[] = []
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) tasks.push(duration)
    }).observe({ type: 'longtask' })
    Object.assign(window, { tasks })
  })
  const started = performance.now()
  await page.keyboard.press('ControlOrMeta+Enter')
  await page.getByText(/rows in/).waitFor()
  const time = performance.now() - started
  const tasks = await page.evaluate(() => (window as unknown as { tasks: number[] }).tasks)
  return { time, longest: Math.max(0, ...tasks) }
}
