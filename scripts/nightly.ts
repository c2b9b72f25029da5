// `npm run test:nightly [-- PART …]`: all or the named parts of the tests that need the machine to themselves.
import { generateKeyPairSync } from 'node:crypto'
import { delimiter } from 'node:path'
import { LARGER_AT_NIGHT, NIGHTLY as NIGHTLY_UNDOCK } from '../undock/vitest.config.ts'
import { LARGER_AT_NIGHT as LARGER_AT_NIGHT_IN_APP, NIGHTLY as NIGHTLY_IN_APP } from '../vitest.config.ts'
import { ROOT, run, tool, UNDOCK } from './processes.ts'

const { env } = process
const node = process.execPath
const vitest = (...args: string[]): [string, string[]] => [tool('vitest'), ['run', ...args]]

/** Projects whose screens the console shows. */
const PROJECTS = [ROOT, env.CONSOLE_PROJECTS].filter(Boolean).join(delimiter)

const NIGHTLY = 'undock/tests/nightly/vitest.config.ts'

/** Turns SAML on and uses the test's DNS for company domains. */
const COMPANY_SIGN_IN = {
  SUPABASE_AUTH_SAML_ENABLED: 'true',
  SUPABASE_AUTH_SAML_PRIVATE_KEY: generateKeyPairSync('rsa', { modulusLength: 2048 })
    .privateKey.export({ format: 'der', type: 'pkcs1' })
    .toString('base64'),
  SUPABASE_EDGE_RUNTIME_SECRETS_DOMAIN_RESOLVER: 'http://127.0.0.1:4176/dns-query',
}

const PARTS: Readonly<Record<string, () => Promise<number>>> = {
  /** A million requests and fifty thousand WebSocket frames to every service. */
  fuzz: () =>
    run(...vitest('--project', 'services', 'tests/acceptance/fuzz'), {
      ...env,
      NIGHTLY: '1',
      FUZZ_RUNS: env.FUZZ_RUNS ?? '1000000',
    }),
  /** The Supabase CLI against a backend, replacements of its commands, and a developer's daily commands: minutes, most
   *  of them in the CLI. TYPES_PROJECTS names more projects whose types are compared. */
  cli: () =>
    run(
      ...vitest(
        '--config',
        NIGHTLY,
        ...['nightly/cli', 'supabase-command', 'migration', 'types', 'compare', 'hosted', 'two-agents', 'day'],
      ),
    ),
  /** Many backends in parallel, their ports and names, stopping while busy, branches, imports, release packages. */
  backends: () =>
    run(
      ...vitest(
        '--config',
        NIGHTLY,
        'many',
        'stop',
        'branches',
        'import',
        'package',
        'packed-start',
        'first-run',
        'vite-plugin',
      ),
    ),
  /** The README's two commands on fresh clones: a read-only folder, an ordinary user, other Node versions, no compiler. */
  'two-commands': () => run(node, ['scripts/two-commands.ts']),
  /** undock's folder outside of the repository: lint, types and tests. */
  alone: () => run(node, ['scripts/undock-alone.ts']),
  /** The library's exports, a release in a local registry, and its use by others, including popular starter projects. */
  release: async () => {
    const folder = 'undock/tests/release'
    const installed = await run('npm', ['ci', '--prefix', folder, '--no-audit', '--no-fund'])
    if (installed) return installed
    const reported = await run(node, [`${folder}/api-reports.ts`])
    return reported || run(...vitest('--config', `${folder}/vitest.config.ts`))
  },
  /** The console's browser tests, and every screen on whole projects. CONSOLE_PROJECTS names more projects. */
  console: async () => {
    for (const folder of ['undock/tests/console', 'undock/tests/console-projects']) {
      const settings = { ...env, CONSOLE_PROJECTS: PROJECTS, NIGHTLY: '1' }
      const code = await run(tool('playwright'), ['test', '--config', folder], settings)
      if (code !== 0) return code
    }
    return 0
  },
  /** Carrel's browser tests, including every screen in light, dark and on a phone: accessibility and overflow. */
  screens: () => {
    const [node, ...undock] = UNDOCK
    return run(node, [...undock, 'run', '--', tool('playwright'), 'test'], {
      SUPABASE_EDGE_RUNTIME_SECRETS_MAIL_IN_DOMAIN: 'in.example.org',
      SUPABASE_EDGE_RUNTIME_SECRETS_MAIL_IN_SECRET: 'a-secret-that-only-tests-have',
      ...COMPANY_SIGN_IN,
      ...env,
      NIGHTLY: '1',
    })
  },
  /** The slowest integration tests, and those with larger inputs at night. */
  integration: () =>
    run(
      ...vitest(
        ...[...NIGHTLY_UNDOCK, ...LARGER_AT_NIGHT].map((path) => `undock/${path}`),
        ...NIGHTLY_IN_APP.filter((path) => !path.includes('self-host')),
        ...LARGER_AT_NIGHT_IN_APP,
      ),
      {
        ...env,
        NIGHTLY: '1',
      },
    ),
  /** Histories of collaborative notes: a hundred, each with 500 edits, messages, losses and crashes. */
  notes: () =>
    run(...vitest('--project', 'app', 'src/features/notes/writing'), { ...env, NOTE_RUNS: '100', NOTE_STEPS: '500' }),
  /** Random clients and faults on three nodes of `undock serve`: a hundred runs of a minute on each bus, with a replica
   *  that takes over, and with and without synchronous commits. */
  cluster: async () => {
    const between = ['--balancer', 'haproxy', '--pooler', 'pgbouncer']
    for (const parts of [
      ['--replica', 'sync'],
      ['--replica', 'sync', '--bus', 'nats', ...between],
      ['--replica', 'async', ...between],
    ]) {
      const code = await run(node, ['undock/tests/cluster/run.ts', '--histories', env.HISTORIES ?? '34', ...parts])
      if (code !== 0) return code
    }
    return 0
  },
  /** Follows Carrel's self-hosting guide: PostgreSQL, an S3 store, a mail server, two nodes and Caddy. */
  'self-host': () => run(...vitest('--project', 'acceptance', 'self-host'), { ...env, NIGHTLY: '1' }),
  /** Third-party tools too large for every run, and whether types/api.ts is current. */
  'foreign-tools': async () => {
    const folder = 'undock/tests/foreign-tools'
    const installed = await run('npm', ['ci', '--prefix', folder, '--no-audit', '--no-fund'])
    if (installed !== 0) return installed
    const [node, ...undock] = UNDOCK
    const types = await run(node, [...undock, 'run', '--', node, 'scripts/api-types.ts', '--check'])
    const checked = await run(tool('tsc'), ['-p', folder])
    const tools = await run(...vitest('--config', `${folder}/vitest.config.ts`))
    return types || checked || tools
  },
  /** undock's site: it builds, its first page runs undock in a browser, and the guides' commands work. */
  website: async () => {
    const built = await run(node, ['undock/website/build.ts'])
    if (built !== 0) return built
    const folder = 'undock/tests/website'
    const pages = await run(tool('playwright'), ['test', '--config', folder])
    const guides = await run(...vitest('--config', `${folder}/vitest.config.ts`))
    return pages || guides
  },
  /** Database tests on other major versions of PostgreSQL. 15 needs undock's library. */
  majors: async () => {
    for (const major of ['15', '18']) {
      const compiled = await run(node, ['undock/native/build.ts', '--major', major, '--essential', '--if-missing'])
      if (compiled !== 0) return compiled
      const parts = ['database', 'rest', 'auth', 'storage', 'realtime'].map((part) => `undock/src/${part}/`)
      const code = await run(...vitest('--project', 'undock', ...parts), {
        ...env,
        UNDOCK_TEST_MAJOR: major,
      })
      if (code !== 0) return code
    }
    return 0
  },
  /** The Data API's pure stages, request bodies and settings files. */
  parsers: () =>
    run(
      ...vitest(
        '--project',
        'undock',
        '--testTimeout=3600000',
        ...['rest/hostile-input', 'rest/request/payload', 'config/hostile'].map((path) => `undock/src/${path}`),
      ),
      { ...env, FUZZ_RUNS: env.FUZZ_RUNS ?? '50000' },
    ),
  /** An hour of mixed load, to detect leaks. */
  soak: () => run(node, ['undock/tests/hostile/soak.ts', '60']),
  /** Two hundred kills, full disks and clock jumps. */
  faults: () => run(...vitest('--config', 'undock/tests/faults/vitest.config.ts')),
}

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !(name in PARTS))
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(', ')}; the parts are ${Object.keys(PARTS).join(', ')}.`)
  process.exit(2)
}
const failed: string[] = []
for (const [name, part] of Object.entries(PARTS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  console.log(`\n── ${name}`)
  if ((await part()) !== 0) failed.push(name)
}
if (failed.length > 0) console.log(`\nFailed: ${failed.join(', ')}`)
process.exit(failed.length === 0 ? 0 : 1)
