import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium } from '@playwright/test'
import pg from 'pg'
import PostalMime from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { builtExtensions } from '../../undock/src/database/postgres/built-extensions.ts'
import { findPackage } from '../../undock/src/database/postgres/postgres-package.ts'
import { eventually } from '../../undock/src/testing/eventually.ts'
import { startS3Store, type TestStore } from '../../undock/src/testing/s3-store.ts'
import { CHROMIUM } from '../../undock/tests/support/chromium.ts'
import { type PlainServer, startPlainServer } from '../../undock/tests/support/plain-server.ts'
import { freePort } from '../../undock/tests/support/project.ts'
import { outcomeOf, untilSaid } from '../../undock/tests/support/undock.ts'

// Follows docs/self-host.md on one machine: runs its commands and writes its files in order, with local addresses.

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const NODES = ['127.0.0.11', '127.0.0.12']
const PASSWORD = 'four unrelated lamps'
/** Milliseconds to build the app, or read a document. */
const LONG = 300_000

const hasCaddy = spawnSync('caddy', ['version']).status === 0

type Block = { readonly language: string; readonly text: string }

const blocksOf = (page: string): Block[] =>
  [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => ({ language, text }))

describe.skipIf(!hasCaddy)('the setup of docs/self-host.md', () => {
  let folder: string
  let server: PlainServer
  let store: TestStore
  let smtp: SMTPServer
  let browser: Browser
  let app: string
  let api: string
  let ports: { readonly node: number; readonly admin: number }
  let startNode: (host: string) => Promise<ChildProcess> = async () => {
    throw new Error('The page has not started nodes yet')
  }
  const nodes: ChildProcess[] = []
  let caddy: ChildProcess | undefined
  const mails: Buffer[] = []

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'self-host-'))
    await chmod(folder, 0o755)
    server = await startServerWithVector(folder)
    store = await startS3Store()
    smtp = new SMTPServer({
      allowInsecureAuth: true,
      disabledCommands: ['STARTTLS'],
      onAuth: (_auth, _session, done) => done(null, { user: 'carrel' }),
      onData: (stream, _session, done) => {
        buffer(stream).then((bytes) => {
          mails.push(bytes)
          done()
        }, done)
      },
    })
    const smtpPort = await new Promise<number>((resolve) => {
      const listener = smtp.listen(0, '127.0.0.1', () => {
        const address = listener.address()
        resolve(typeof address === 'object' && address ? address.port : 0)
      })
    })
    ports = { node: await freePort(), admin: await freePort() }
    app = `http://localhost:${await freePort()}`
    api = `http://127.0.0.1:${await freePort()}`
    const { files } = store
    await follow(
      await readFile(join(ROOT, 'docs/self-host.md'), 'utf8'),
      new Map([
        ['npm ci --no-audit --no-fund', ':'],
        ['/srv/carrel-app', join(folder, 'app')],
        ['/srv/carrel', ROOT],
        ['/etc/carrel', join(folder, 'etc')],
        ['/etc/caddy/Caddyfile', join(folder, 'Caddyfile')],
        ['/etc/systemd/system/carrel.service', join(folder, 'carrel.service')],
        ['db.internal:5432', `127.0.0.1:${server.port}`],
        ['https://s3.internal', files.endpoint ?? ''],
        ['S3_REGION="us-east-1"', `S3_REGION="${files.region}"`],
        ['S3_BUCKET="carrel"', `S3_BUCKET="${files.bucket}"\nUNDOCK_SERVE_S3_PREFIX="${files.prefix}"`],
        ['smtps://carrel:$MAIL_PASSWORD@mail.example.org:465', `smtp://carrel:x@127.0.0.1:${smtpPort}`],
        ['SMTP_PORT="465"', `SMTP_PORT="${smtpPort}"`],
        ['mail.example.org', '127.0.0.1'],
        ['https://api.carrel.example.org', api],
        ['api.carrel.example.org {', `${api} {`],
        ['https://carrel.example.org', app],
        ['RP_ID="carrel.example.org"', 'RP_ID="localhost"'],
        ['carrel.example.org {', `${app} {`],
        ['10.0.0.11:8000 10.0.0.12:8000', NODES.map((host) => `${host}:${ports.node}`).join(' ')],
        ['health_port 9000', `health_port ${ports.admin}`],
        ['10.0.0.0/8', '127.0.0.0/8'],
        ['UNDOCK_HOST="0.0.0.0"', `UNDOCK_HOST="${NODES[0]}"`],
      ]),
    )
    browser = await chromium.launch(CHROMIUM)
  }, LONG)
  afterAll(async () => {
    await browser?.close()
    for (const child of [caddy, ...nodes]) if (child) await ended(child, 'SIGTERM')
    smtp?.close()
    await server?.close()
    await store?.close()
    if (folder) await rm(folder, { recursive: true, force: true })
  })

  /** @param replacements Texts to replace, each of which must be on the page. */
  async function follow(page: string, replacements: ReadonlyMap<string, string>): Promise<void> {
    let text = page
    for (const [original, replacement] of replacements) {
      expect(text).toContain(original)
      text = text.replaceAll(original, () => replacement)
    }
    for (const { language, text: block } of blocksOf(text)) {
      const file = /^# (\/\S+)\n/.exec(block)?.[1]
      if (file !== undefined) await writeFile(file, language === 'caddy' ? `${CADDY_OPTIONS}${block}` : block)
      if (language === 'sh') await runBlock(block)
      else if (language === 'ini') await startNodes(block)
      else if (language === 'caddy') await startCaddy(file ?? '')
      else throw new Error(`The page has an unused ${language} block`)
    }
  }

  const environment = (): NodeJS.ProcessEnv => ({
    ...process.env,
    // The tests' value would affect the build.
    NODE_ENV: undefined,
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    ADMIN_DATABASE_URL: server.url,
    DATABASE_PASSWORD: 'only-for-this-test',
    MAIL_PASSWORD: 'x',
    S3_ACCESS_KEY_ID: store.files.accessKeyId,
    S3_SECRET_ACCESS_KEY: store.files.secretAccessKey,
  })

  /** Not synchronously: the store and mail server are in this process. */
  async function runBlock(script: string): Promise<void> {
    const child = spawn('bash', ['-euc', script], { stdio: ['ignore', 'pipe', 'pipe'], env: environment() })
    const { code, stdout, stderr } = await outcomeOf(child)
    expect({ script, code, said: code === 0 ? '' : `${stdout}\n${stderr}` }).toEqual({ script, code: 0, said: '' })
  }

  async function startNodes(unit: string): Promise<void> {
    const setting = (name: string): string => new RegExp(`^${name}=(.+)$`, 'm').exec(unit)?.[1] ?? ''
    startNode = async (host) => {
      const script = `set -a; . ${setting('EnvironmentFile')}; UNDOCK_HOST=${host}; exec ${setting('ExecStart')}`
      const child = spawn('bash', ['-euc', script], {
        cwd: setting('WorkingDirectory'),
        stdio: ['ignore', 'ignore', 'pipe'],
        env: {
          ...environment(),
          UNDOCK_SERVE_PORT: String(ports.node),
          UNDOCK_SERVE_ADMIN_PORT: String(ports.admin),
        },
      })
      await untilSaid(child, 'Serving on port')
      return child
    }
    for (const host of NODES) nodes.push(await startNode(host))
  }

  async function startCaddy(file: string): Promise<void> {
    caddy = spawn('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], { stdio: 'ignore' })
    await eventually(async () => expect(await statusOf(`${api}/auth/v1/health`)).toBe(200))
  }

  const statusOf = (url: string): Promise<number> =>
    fetch(url).then(
      ({ status }) => status,
      () => 0,
    )

  async function linkInMailTo(address: string): Promise<string> {
    return eventually(async () => {
      for (const bytes of mails) {
        const { to = [], html = '' } = await PostalMime.parse(bytes)
        const link = /href="([^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&')
        if (link && to.some((one) => one.address === address)) return link
      }
      throw new Error(`No email to ${address}`)
    })
  }

  test('a new user signs up, adds a document and finds a word in it', { timeout: LONG }, async () => {
    const page = await (await browser.newContext({ locale: 'en-US' })).newPage()
    await page.goto(app)
    await page.getByRole('link', { name: 'Create an account' }).click()
    await page.getByLabel('Your name').fill('Grace Hopper')
    await page.getByLabel('Email').fill('grace@example.org')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.goto(await linkInMailTo('grace@example.org'))
    await page.getByRole('button', { name: 'Confirm and continue' }).click()
    await page.getByRole('button', { name: 'New library' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Lighthouse papers')
    await page.getByRole('button', { name: 'Create library' }).click()
    await page.getByLabel('Files to add').setInputFiles(join(ROOT, 'tests/fixtures/reading-room.pdf'))
    const card = page.getByRole('article', { name: 'reading room' })
    // Read by the function `ingest`, called by the database.
    await card.getByText('20 pages').waitFor({ timeout: LONG / 2 })
    await page.getByRole('link', { name: 'Search', exact: true }).click()
    await page.getByRole('searchbox').fill('lighthouse')
    await page
      .locator('[data-hit]', { has: page.locator('mark') })
      .first()
      .waitFor({ timeout: LONG / 4 })
    expect((await store.keys()).length).toBeGreaterThan(0)
  })

  test('all scheduled jobs are installed', async () => {
    const client = new pg.Client({ connectionString: server.url.replace(/[^/]+$/, 'carrel') })
    await client.connect()
    const { rows } = await client.query(
      `select array_agg(jobname order by jobname) as jobs, private.indexing_problem() as problem from cron.job`,
    )
    await client.end()
    expect(rows).toEqual([{ jobs: ['arrivals', 'log', 'maintenance', 'purge', 'webhooks-purge'], problem: null }])
  })

  test('static files have long cache lifetimes', async () => {
    const page = await fetch(`${app}/l/some-library/search`)
    const [script = ''] = /\/assets\/[^"]+\.js/.exec(await page.text()) ?? []
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-cache'])
    expect(page.headers.get('content-security-policy')).toBe("frame-ancestors 'none'")
    const asset = await fetch(app + script)
    expect([asset.status, asset.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable'])
    expect((await fetch(`${app}/sw.js`)).headers.get('cache-control')).toBe('no-cache')
  })

  test('nodes restart one after the other without losing a request', async () => {
    const lost: number[] = []
    let asked = 0
    let isOver = false
    const load = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const status = await statusOf(`${api}/auth/v1/health`)
        asked += 1
        if (status !== 200) lost.push(status)
      }
    })
    for (const [index, host] of NODES.entries()) {
      const old = nodes[index] as ChildProcess
      expect(await ended(old, 'SIGTERM')).toBe(0)
      nodes[index] = await startNode(host)
      // As in the guide: one after the other, once the balancer has noticed.
      await expect.poll(() => statusOf(`http://${host}:${ports.admin}/ready`)).toBe(200)
      await new Promise((resolve) => setTimeout(resolve, 2_000))
    }
    isOver = true
    await Promise.all(load)
    expect(lost).toEqual([])
    expect(asked).toBeGreaterThan(100)
  }, 120_000)
})

/** There are no certificates for the guide's host names. */
const CADDY_OPTIONS = '{\n\tadmin off\n\tauto_https off\n}\n'

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const exit = once(child, 'exit')
    child.kill(signal)
    await exit
  }
  return child.exitCode
}

/** PostgreSQL with pgvector among its files, like a distribution's package. */
async function startServerWithVector(folder: string): Promise<PlainServer> {
  const own = join(folder, 'postgres')
  const vector = builtExtensions(17).find(({ name }) => name === 'vector')
  if (!vector) throw new Error('pgvector is not compiled on this machine: npm run native -w undock')
  await cp(findPackage(17).folder, own, { recursive: true, verbatimSymlinks: true })
  await cp(join(vector.folder, 'lib'), join(own, 'native/lib/postgresql'), { recursive: true })
  await cp(join(vector.folder, 'share'), join(own, 'native/share/postgresql'), { recursive: true })
  process.env.UNDOCK_POSTGRES = own
  try {
    return await startPlainServer()
  } finally {
    delete process.env.UNDOCK_POSTGRES
  }
}
