// Run by app.ts inside `undock run`: builds the app for that backend, serves it compressed and measures it in Chromium.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BrowserContext, chromium, type Page } from '@playwright/test'
import { createClient } from '@supabase/supabase-js'
import lighthouse, { desktopConfig } from 'lighthouse'
import pg from 'pg'
import type { Database } from '../../types/database.ts'
import { serveApp } from './app-server.ts'
import { scroll, watchInputs } from './frames.ts'

export type AppFigures = {
  readonly pages: readonly PageFigures[]
  readonly documents: number
  /** Milliseconds between two frames while the shelf is scrolled. */
  readonly frames: readonly number[]
  /** Milliseconds of each task longer than 50 ms during the scrolling. */
  readonly longTasks: readonly number[]
  /** Milliseconds from an input to the frame that shows its effect. */
  readonly interactions: readonly number[]
}
export type PageFigures = {
  readonly name: string
  /** 0 to 1: performance, accessibility, best practices, SEO. */
  readonly scores: readonly number[]
  /** Largest contentful paint in milliseconds, on the network that Lighthouse simulates (10 Mbit/s, 40 ms). */
  readonly lcp: number
  /** The same, as measured on this machine without simulation. */
  readonly observedLcp: number
  /** Bytes of JavaScript after compression. */
  readonly script: number
  /** Audits that reduce the score, as hints for improvements. */
  readonly faults: readonly string[]
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SYSTEM_CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
const DOCUMENTS = 10_000
const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo']
const READER = { email: 'demo@carrel.local', password: 'carrel-demo-library' }

const folder = await mkdtemp(join(tmpdir(), 'carrel-app-'))
const built = spawnSync(
  'npx',
  ['vite', 'build', '--mode', 'test', '--logLevel', 'error', '--outDir', join(folder, 'dist')],
  {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
  },
)
if (built.status !== 0) throw new Error('the app could not be built')
const { address, server } = await serveApp(join(folder, 'dist'))
const debugPort = await freePort()
const context = await chromium.launchPersistentContext(join(folder, 'profile'), {
  ...(existsSync(SYSTEM_CHROMIUM) ? { executablePath: SYSTEM_CHROMIUM } : {}),
  viewport: { width: 1350, height: 940 },
  args: [
    `--remote-debugging-port=${debugPort}`,
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    '--disable-background-networking',
    '--no-first-run',
  ],
})
try {
  const first = await context.newPage()
  await first.goto(`${address}/sign-in`)
  await first.getByRole('heading', { name: 'Welcome back' }).waitFor()
  await forgetFiles(first)
  await first.close()
  const signInPage = await audit('sign-in page', `${address}/sign-in`)
  const library = await fill()
  const page = await signIn(context)
  await forgetFiles(page)
  const shelf = await audit(`shelf, ${DOCUMENTS.toLocaleString('en')} documents`, `${address}/l/${library}`)
  await page.goto(`${address}/l/${library}`)
  await page.getByRole('list', { name: 'Documents' }).getByRole('article').first().waitFor()
  const { frames, longTasks } = await scroll(page)
  const interactions = await interact(page)
  const figures: AppFigures = { pages: [signInPage, shelf], documents: DOCUMENTS, frames, longTasks, interactions }
  console.log(JSON.stringify(figures))
} finally {
  await context.close()
  server.closeAllConnections()
  server.close()
  await rm(folder, { recursive: true, force: true })
}

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const bound = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  return typeof bound === 'object' ? (bound?.port ?? 0) : 0
}

/** The next page is loaded as on a first visit, except for the session; browser and file server are warm. */
async function forgetFiles(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (const worker of await navigator.serviceWorker.getRegistrations()) await worker.unregister()
    for (const name of await caches.keys()) await caches.delete(name)
  })
  const session = await context.newCDPSession(page)
  await session.send('Network.clearBrowserCache')
  await session.detach()
}

/** Opens a page as the signed-in user: the browser keeps its cookies. */
async function audit(name: string, url: string): Promise<PageFigures> {
  const flags = { port: debugPort, disableStorageReset: true, logLevel: 'error', onlyCategories: CATEGORIES } as const
  const { lhr } = (await lighthouse(url, { ...flags, onlyCategories: CATEGORIES }, desktopConfig)) ?? {}
  if (!lhr) throw new Error(`Lighthouse said nothing about ${url}`)
  const faults = Object.values(lhr.audits)
    .filter(({ score }) => score !== null && score < 0.9)
    .map(({ id, displayValue }) => `${id} ${displayValue ?? ''}`.trim())
  const metrics = lhr.audits.metrics?.details as { items?: { observedLargestContentfulPaint?: number }[] } | undefined
  const observed = metrics?.items?.[0]
  const requests = lhr.audits['network-requests']?.details
  const items = requests?.type === 'table' ? requests.items : []
  return {
    name,
    scores: CATEGORIES.map((category) => lhr.categories[category]?.score ?? 0),
    lcp: lhr.audits['largest-contentful-paint']?.numericValue ?? Number.NaN,
    observedLcp: observed?.observedLargestContentfulPaint ?? Number.NaN,
    script: items
      .filter(({ resourceType }) => resourceType === 'Script')
      .reduce((sum, { transferSize }) => sum + Number(transferSize), 0),
    faults,
  }
}

/** Inserts a library of many documents directly into the tables: through the app it would take minutes. */
async function fill(): Promise<string> {
  const person = createClient<Database>(process.env.SUPABASE_URL ?? '', process.env.SUPABASE_PUBLISHABLE_KEY ?? '')
  const { data } = await person.auth.signInWithPassword(READER)
  const { data: library } = await person.rpc('create_library', { name: 'Many' }).throwOnError()
  const database = new pg.Client({ connectionString: process.env.SUPABASE_DB_URL })
  await database.connect()
  // Without triggers, some of which send a notification for each row.
  await database.query('set session_replication_role = replica')
  await database.query(
    `insert into public.documents (library_id, kind, title, mime_type, size_bytes, page_count, state, created_by, created_at)
     select $1, 'file', 'On the keeping of lamps, part ' || n, 'application/pdf', 1000 * n, 1 + n % 300, 'ready', $2,
       now() - n * interval '1 minute'
     from generate_series(1, $3::integer) n`,
    [library.id, data.user?.id, DOCUMENTS],
  )
  await database.end()
  return library.id
}

async function signIn(browser: BrowserContext): Promise<Page> {
  const page = await browser.newPage()
  await page.goto(`${address}/sign-in`)
  await page.getByLabel('Email').fill(READER.email)
  await page.getByLabel('Password', { exact: true }).fill(READER.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'My libraries' }).waitFor()
  return page
}

/** Typical actions on a shelf, with mouse and keys. */
async function interact(page: Page): Promise<number[]> {
  const read = await watchInputs(page)
  await page.evaluate(() => scrollTo(0, 0))
  const shelf = page.getByRole('list', { name: 'Documents' })
  for (const place of [0, 1, 2]) {
    const card = shelf.getByRole('article').nth(place)
    await card.hover()
    await card.getByRole('checkbox').check()
  }
  await page.keyboard.press('Escape')
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('combobox').pressSequentially('lamps')
  await page.keyboard.press('Escape')
  return read()
}
