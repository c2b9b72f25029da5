// `npm test`: every check, in the order in which a fault is cheapest to find. Goes on after a failure, so that one run
// shows all of them.
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { ROOT, runKept, tool, UNDOCK } from './processes.ts'

const inStack = (...command: string[]): [string, string[]] => {
  const [node, ...undock] = UNDOCK
  return [node, [...undock, 'run', '--', ...command]]
}
const node = process.execPath
const undock = UNDOCK[1] as string

/** What is above `database/` may not notice which Postgres it has. Vector buckets need pgvector, which comes with the
 *  embedded engine only. */
const ON_ANY_ENGINE = [
  ...['rest', 'auth', 'storage', 'realtime'].map((part) => `undock/src/${part}/`),
  ...['bootstrap', 'migrations/apply'].map((name) => `undock/src/database/${name}.test.ts`),
  '--exclude=src/storage/vectors/**',
]

/** Turns on a sign-in provider that Playwright starts beside the app. */
const COMPANY_SIGN_IN = {
  SUPABASE_AUTH_EXTERNAL_KEYCLOAK_ENABLED: 'true',
  SUPABASE_AUTH_EXTERNAL_KEYCLOAK_URL: 'http://127.0.0.1:4174/realms/test',
  SUPABASE_AUTH_EXTERNAL_KEYCLOAK_CLIENT_ID: 'app',
  SUPABASE_AUTH_EXTERNAL_KEYCLOAK_SECRET: 'idp-secret',
}

type Check = readonly [name: string, command: readonly [string, string[]], env?: NodeJS.ProcessEnv]

const CHECKS: readonly Check[] = [
  ['lint', [tool('biome'), ['ci', '.']]],
  ['types of undock', [tool('tsc'), ['-p', 'undock']]],
  ['types of the app', [tool('tsc'), ['-p', '.']]],
  ['texts in every language', [node, ['scripts/messages.ts']]],
  ['unit and integration', [tool('vitest'), ['run']]],
  [
    'integration on the native Postgres',
    [tool('vitest'), ['run', '--project', 'undock', ...ON_ANY_ENGINE]],
    { ...process.env, UNDOCK_TEST_ENGINE: 'native' },
  ],
  [
    'edge functions',
    [
      tool('deno'),
      [
        'test',
        '--allow-all',
        '--quiet',
        '--no-config',
        '--import-map=supabase/functions/ingest/deno.json',
        'supabase/functions',
      ],
    ],
  ],
  ['database policies (pgTAP)', inStack(node, undock, 'db', 'test')],
  ['generated types', inStack(node, 'scripts/types.ts', '--check')],
  ['build', [tool('vite'), ['build', '--logLevel', 'warn', '--mode', 'test']]],
  ['browser', inStack(tool('playwright'), 'test'), { ...process.env, ...COMPANY_SIGN_IN }],
]

/** Where Vitest says which files failed. */
const REPORT = 'node_modules/.cache/vitest.json'
const REPORTERS = ['--reporter=default', '--reporter=json', `--outputFile.json=${REPORT}`]

/** The files of the last Vitest run in which something failed: a test, a hook, or what nobody caught. */
function failedFiles(printed: string): string[] {
  const uncaught = [...printed.matchAll(/originated in "([^"]+)" test file|while running test file (\S+)/g)].map(
    ([, thrown, ended]) => relative(ROOT, resolve(ROOT, (thrown ?? ended) as string)),
  )
  if (!existsSync(REPORT)) return uncaught
  const { testResults } = JSON.parse(readFileSync(REPORT, 'utf8')) as {
    testResults: { name: string; status: string }[]
  }
  const failed = testResults.filter(({ status }) => status === 'failed').map(({ name }) => relative(ROOT, name))
  return [...new Set([...failed, ...uncaught])]
}

const failures: { name: string; end: string }[] = []
const unsteady: string[] = []
let passed = 0

/** One more try of what failed, in CI alone: its machine may be slow once, and a test that is wrong is wrong twice. */
async function passesAlone(args: readonly string[], printed: string, env?: NodeJS.ProcessEnv): Promise<boolean> {
  if (!process.env.CI) return false
  const files = failedFiles(printed)
  console.log(`\n── once more: ${files.join(', ') || 'all, for no file is known to have failed'}`)
  const options = args.filter((arg, i) => arg.startsWith('--') || args[i - 1] === '--project')
  const again = files.length > 0 ? ['run', ...options, '--maxWorkers=1', ...files] : args
  const { code } = await runKept(tool('vitest'), again, env)
  if (code === 0) unsteady.push(...(files.length > 0 ? files : ['a run of Vitest']))
  return code === 0
}

const wanted = process.argv.slice(2)
for (const [name, [command, args], env] of CHECKS) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  console.log(`\n── ${name}`)
  rmSync(REPORT, { force: true })
  const vitest = command === tool('vitest')
  const { code, end } = await runKept(command, vitest ? [...args, ...REPORTERS] : args, env)
  if (code === 0 || (vitest && (await passesAlone(args, end, env)))) passed += 1
  else failures.push({ name, end })
}

for (const { name, end } of failures) if (end) console.log(`\n── how "${name}" ended\n${end}`)
if (unsteady.length > 0) console.log(`\nPassed at the second try only: ${unsteady.join(', ')}`)
if (failures.length > 0) console.log(`\nFailed: ${failures.map(({ name }) => name).join(', ')}`)
console.log(`\n${passed} passed, ${failures.length} failed`)
process.exit(failures.length === 0 ? 0 : 1)
