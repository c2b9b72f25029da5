import { type ChildProcess, spawn } from 'node:child_process'
import { glob, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { readProjectConfig } from '../../src/config/project.ts'
import { createIdentity } from '../../src/identity/create-identity.ts'
import type { ApiKeys } from '../../src/identity/identity.ts'
import { systemClock } from '../../src/kernel/service.ts'
import { startMail } from '../../src/mail/index.ts'
import { startStack } from '../../src/test-kit/start-stack.ts'
import { createTestUser, type TestUser } from '../../src/test-kit/users.ts'
import { startS3Store } from '../../src/testing/s3-store.ts'
import { startBalancer } from '../support/balancer.ts'
import { startPlainServer } from '../support/plain-server.ts'
import { freePort } from '../support/project.ts'
import { end, outcomeOf, untilSaid } from '../support/undock.ts'
import type { SuiteOptions } from './suite.ts'

/** The target of a suite. */
export type Target = {
  readonly url: string
  /** The database URL of its owner. */
  readonly dbUrl: string
  readonly keys: ApiKeys
  /** A confirmed user with a session. */
  createUser(): Promise<TestUser>
  stop(): Promise<void>
}

type Project = {
  readonly workdir: string
  /** Whether to use config.toml's ports because the suite expects them. */
  readonly onOwnPorts?: boolean | undefined
}

/** Starts a project as a stack, or as several nodes behind a balancer that alternates between them. */
export function startTarget({ workdir, onOwnPorts }: Project, { nodes }: SuiteOptions): Promise<Target> {
  if (nodes !== null) return startNodes({ workdir, onOwnPorts }, nodes)
  return startStack({ workdir, engine: 'native', ...(onOwnPorts && { ports: 'config' as const }) })
}

/** For the role `postgres`. */
const OWNER_PASSWORD = 'another-of-its-own'

const NODE = fileURLToPath(new URL('./local-node.ts', import.meta.url))

async function startNodes({ workdir, onOwnPorts }: Project, count: number): Promise<Target> {
  const server = await startPlainServer()
  const store = await startS3Store()
  const mail = await startMail({
    host: '127.0.0.1',
    claimPort: (port, _what, take) => take(port),
    httpPort: 0,
    smtpPort: 0,
    clock: systemClock,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    folder: null,
  })
  const { config } = readProjectConfig(workdir)
  const port = onOwnPorts ? config.api.port : await freePort()
  const url = `http://127.0.0.1:${port}`
  const shared = {
    UNDOCK_DATABASE_URL: server.url,
    UNDOCK_TEST_FILES: JSON.stringify(store.files),
    // The database stores the address of the cluster's store.
    UNDOCK_SERVE_S3_BUCKET: store.files.bucket,
    UNDOCK_SERVE_S3_PREFIX: store.files.prefix,
    UNDOCK_SERVE_DRAIN_DELAY: '0',
    SUPABASE_API_EXTERNAL_URL: url,
    UNDOCK_TEST_SMTP_PORT: String(mail.smtpPort),
  }
  const launch = (words: readonly string[], own: Readonly<Record<string, string>>): ChildProcess =>
    spawn(process.execPath, [NODE, workdir, ...words], {
      env: { ...process.env, ...shared, ...own },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  const { code, stderr } = await outcomeOf(launch(['--migrate'], {}))
  if (code !== 0) throw new Error(stderr)
  await prepare(server.url, config.db.seed.enabled ? config.db.seed.sql_paths : [])
  const processes: ChildProcess[] = []
  const nodes = await Promise.all(
    Array.from({ length: count }, async () => {
      const [own, admin] = [String(await freePort()), String(await freePort())]
      const child = launch([], { UNDOCK_SERVE_PORT: own, UNDOCK_SERVE_ADMIN_PORT: admin })
      processes.push(child)
      child.stdout?.resume()
      await untilSaid(child, 'Serving on port')
      return { url: `http://127.0.0.1:${own}`, adminUrl: `http://127.0.0.1:${admin}` }
    }),
  )
  const balancer = await startBalancer(nodes, port)
  const { keys } = await createIdentity({ config: config.auth, clock: systemClock })
  return {
    url,
    dbUrl: Object.assign(new URL(server.url), { username: 'postgres', password: OWNER_PASSWORD }).href,
    keys,
    createUser: () => createTestUser({ url, keys, clock: systemClock }, {}),
    async stop() {
      await balancer.close()
      for (const child of processes) await end(child, 'SIGKILL')
      await mail.close()
      await store.close()
      await server.close()
    },
  }
}

/** Applies the seeds, which nodes don't, and lets the project's owner log in. */
async function prepare(url: string, patterns: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`alter role postgres login password '${OWNER_PASSWORD}'; set search_path to public, extensions`)
  for (const pattern of patterns)
    for await (const path of glob(pattern)) await client.query(await readFile(path, 'utf8'))
  await client.end()
}
