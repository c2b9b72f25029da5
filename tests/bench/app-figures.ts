// Run by app.ts inside `undock run`: builds the app for that backend, serves it compressed and measures it in Chromium.
import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type BrowserContext, chromium, type Page } from '@playwright/test'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import pg from 'pg'
import sirv from 'sirv'
import { z } from 'zod'
import type { Database } from '../../supabase/functions/_shared/database.ts'
import { scroll, watchInputs } from '../../undock/bench/frames.ts'
import { CHROMIUM } from '../../undock/tests/support/chromium.ts'
import { measureOpening } from './app-opening.ts'
import { measureWriting } from './app-writing.ts'
import { createManualMaker } from './manual.ts'

export type AppFigures = {
  readonly pages: readonly PageFigures[]
  readonly documents: number
  /** Milliseconds between frames while the shelf is scrolled. */
  readonly frames: readonly number[]
  /** Milliseconds of tasks longer than 50 ms during scrolling. */
  readonly longTasks: readonly number[]
  /** Milliseconds from an input to the frame with its effect. */
  readonly interactions: readonly number[]
  /** Milliseconds from clicking a manual's card to its first page's text; the first includes loading the reader. */
  readonly openings: readonly number[]
  /** Milliseconds from a key in a note until another writer sees it. */
  readonly keys: readonly number[]
}
export type PageFigures = {
  readonly name: string
  /** 0 to 1: performance, accessibility, best practices, SEO. */
  readonly scores: readonly number[]
  /** Largest contentful paint in milliseconds, on Lighthouse's simulated network (10 Mbit/s, 40 ms). */
  readonly lcp: number
  /** The same without simulation. */
  readonly observedLcp: number
  /** Bytes of JavaScript after compression. */
  readonly script: number
  /** All received bytes, including headers, fonts and the backend's responses. */
  readonly bytes: number
  readonly requests: number
  readonly faults: readonly string[]
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SYSTEM_CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
const DOCUMENTS = 10_000
const MANUALS = 6
const LIGHTHOUSE = fileURLToPath(new URL('node_modules/.bin/lighthouse', import.meta.url))
const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo']
const READER = { email: 'demo@carrel.local', password: 'carrel-demo-library' }

const Report = z.object({
  categories: z.record(z.string(), z.object({ score: z.number().nullable() })),
  audits: z.record(
    z.string(),
    z.object({
      id: z.string(),
      score: z.number().nullable(),
      displayValue: z.string().optional(),
      numericValue: z.number().optional(),
      details: z.unknown().optional(),
    }),
  ),
})
const Metrics = z.object({ items: z.tuple([z.object({ observedLargestContentfulPaint: z.number() })], z.unknown()) })
const Transfers = z.object({
  items: z.array(z.object({ resourceType: z.string().optional(), transferSize: z.number() })),
})

const folder = await mkdtemp(join(tmpdir(), 'carrel-app-'))
const built = spawnSync('npx', ['vite', 'build', '--logLevel', 'error', '--outDir', join(folder, 'dist')], {
  cwd: ROOT,
  stdio: ['ignore', 'inherit', 'inherit'],
})
if (built.status !== 0) throw new Error('the app could not be built')
// Like static hosts: compressed, and immutable if the name has a hash.
const server = createHttpServer(
  sirv(join(folder, 'dist'), {
    single: true,
    brotli: true,
    setHeaders: (response, path) =>
      response.setHeader(
        'Cache-Control',
        path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      ),
  }),
)
const port = await freePort()
await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
const address = `http://127.0.0.1:${port}`
const debugPort = await freePort()
const launchOptions = (args: readonly string[]) => ({
  ...(existsSync(SYSTEM_CHROMIUM) ? { executablePath: SYSTEM_CHROMIUM } : CHROMIUM),
  viewport: { width: 1350, height: 940 },
  args: [
    ...args,
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    '--disable-background-networking',
    '--no-first-run',
  ],
})
const context = await chromium.launchPersistentContext(
  join(folder, 'profile'),
  launchOptions([`--remote-debugging-port=${debugPort}`]),
)
const elsewhere = await chromium.launchPersistentContext(join(folder, 'elsewhere'), launchOptions([]))
try {
  const first = await context.newPage()
  await first.goto(`${address}/sign-in`)
  await first.getByRole('heading', { name: 'Welcome back' }).waitFor()
  await forgetFiles(first)
  await first.close()
  const signInPage = await audit('sign-in page', `${address}/sign-in`)
  const person = createClient<Database>(process.env.SUPABASE_URL ?? '', process.env.SUPABASE_PUBLISHABLE_KEY ?? '')
  const { data: reader } = await person.auth.signInWithPassword(READER)
  const library = await fill(person, reader.user?.id ?? '')
  const page = await signIn(context)
  await forgetFiles(page)
  const shelf = await audit(`shelf, ${DOCUMENTS.toLocaleString('en')} documents`, `${address}/l/${library}`)
  await page.goto(`${address}/l/${library}`)
  await page.getByRole('list', { name: 'Documents' }).getByRole('article').first().waitFor()
  const { frames, longTasks } = await scroll(page)
  const interactions = await interact(page)
  const manuals = await addManuals(person)
  const openings = await measureOpening(page, `${address}/l/${manuals.library}`, manuals.titles)
  const { data: note } = await person
    .rpc('add_note', { library: manuals.library, title: 'Written by two', body: 'It begins.' })
    .throwOnError()
  const other = await signIn(elsewhere)
  for (const writer of [page, other]) {
    await writer.goto(`${address}/l/${manuals.library}/d/${note.id}`)
    await writer.getByRole('button', { name: 'Edit', exact: true }).click()
    await writer.locator('[contenteditable="true"]').waitFor()
  }
  const keys = await measureWriting(page, other)
  const figures: AppFigures = {
    pages: [signInPage, shelf],
    documents: DOCUMENTS,
    frames,
    longTasks,
    interactions,
    openings,
    keys,
  }
  console.log(JSON.stringify(figures))
} finally {
  await context.close()
  await elsewhere.close()
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

/** Simulates a first visit, except for the session and warm caches of browser and server. */
async function forgetFiles(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (const worker of await navigator.serviceWorker.getRegistrations()) await worker.unregister()
    for (const name of await caches.keys()) await caches.delete(name)
  })
  const session = await context.newCDPSession(page)
  await session.send('Network.clearBrowserCache')
  await session.detach()
}

async function audit(name: string, url: string): Promise<PageFigures> {
  const flags = [`--port=${debugPort}`, '--disable-storage-reset', '--preset=desktop', '--output=json', '--quiet']
  const words = [url, ...flags, `--only-categories=${CATEGORIES.join(',')}`]
  const { stdout } = await promisify(execFile)(LIGHTHOUSE, words, { maxBuffer: 2 ** 27 })
  const { categories, audits } = Report.parse(JSON.parse(stdout))
  const faults = Object.values(audits)
    .filter(({ score }) => score !== null && score < 0.9)
    .map(({ id, displayValue }) => `${id} ${displayValue ?? ''}`.trim())
  const { items: requests } = Transfers.parse(audits['network-requests']?.details)
  const bytesOf = (transfers: typeof requests) => transfers.reduce((sum, { transferSize }) => sum + transferSize, 0)
  return {
    name,
    scores: CATEGORIES.map((category) => categories[category]?.score ?? 0),
    lcp: audits['largest-contentful-paint']?.numericValue ?? Number.NaN,
    observedLcp: Metrics.parse(audits.metrics?.details).items[0].observedLargestContentfulPaint,
    script: bytesOf(requests.filter(({ resourceType }) => resourceType === 'Script')),
    bytes: bytesOf(requests),
    requests: requests.length,
    faults,
  }
}

/** Inserts a large library directly into the tables: through the app it would take minutes. */
async function fill(person: SupabaseClient<Database>, reader: string): Promise<string> {
  const { data: library } = await person.rpc('create_library', { name: 'Many' }).throwOnError()
  const database = new pg.Client({ connectionString: process.env.SUPABASE_DB_URL })
  await database.connect()
  // Without triggers, some of which notify per row.
  await database.query('set session_replication_role = replica')
  await database.query(
    `insert into public.documents (library_id, kind, title, mime_type, size_bytes, page_count, state, created_by, created_at)
     select $1, 'file', 'On the keeping of lamps, part ' || n, 'application/pdf', 1000 * n, 1 + n % 300, 'ready', $2,
       now() - n * interval '1 minute'
     from generate_series(1, $3::integer) n`,
    [library.id, reader, DOCUMENTS],
  )
  await database.end()
  return library.id
}

async function addManuals(person: SupabaseClient<Database>): Promise<{ library: string; titles: string[] }> {
  const { data: library } = await person.rpc('create_library', { name: 'Manuals' }).throwOnError()
  const { makeManual } = createManualMaker(3)
  for (let number = 1; number <= MANUALS; number++) {
    const document = crypto.randomUUID()
    const name = `manual-${number}.pdf`
    const path = `${library.id}/${document}/${crypto.randomUUID()}/${name}`
    const manual = new Blob([await makeManual(number)])
    const { error } = await person.storage.from('documents').upload(path, manual, { contentType: 'application/pdf' })
    if (error) throw error
    await person.rpc('add_file', { library: library.id, document, path, file_name: name }).throwOnError()
  }
  for (;;) {
    const { data } = await person.rpc('indexing_progress', { library: library.id }).single().throwOnError()
    if (data.failed > 0) throw new Error('A manual could not be read.')
    if (data.done === MANUALS) break
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  const { data: added } = await person.from('documents').select('title').eq('library_id', library.id).throwOnError()
  return { library: library.id, titles: added.map(({ title }) => title) }
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
