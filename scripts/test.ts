// `npm test`: all checks, ordered so that the cheapest find faults first. It continues after a failure, so that one run
// shows all failures.
import { glob, readFile } from 'node:fs/promises'
import { runKept, tool, UNDOCK } from './processes.ts'

const inStack = (...command: string[]): [string, string[]] => {
  const [node, ...undock] = UNDOCK
  return [node, [...undock, 'run', '--', ...command]]
}
const node = process.execPath
const undock = UNDOCK[1] as string

/** Enables a sign-in provider that Playwright starts in addition to the app. */
const COMPANY_SIGN_IN = {
  SUPABASE_AUTH_EXTERNAL_KEYCLOAK_ENABLED: 'true',
  SUPABASE_AUTH_EXTERNAL_KEYCLOAK_URL: 'http://127.0.0.1:4174/realms/test',
  SUPABASE_AUTH_EXTERNAL_KEYCLOAK_CLIENT_ID: 'app',
  SUPABASE_AUTH_EXTERNAL_KEYCLOAK_SECRET: 'idp-secret',
}

type Check = readonly [name: string, command: readonly [string, string[]], env?: NodeJS.ProcessEnv]

const CHECKS: readonly Check[] = [
  ['lint', [tool('biome'), ['ci', '.']]],
  ['layers and pages', [node, ['scripts/architecture.ts', '--check']]],
  ['layers and pages of undock', [node, ['undock/scripts/architecture.ts', '--check']]],
  ['commits and casts', [node, ['scripts/conventions.ts']]],
  ['unused files, exports and packages', [tool('knip'), ['--no-progress', '--exclude', 'binaries']]],
  ['undock alone', [node, ['scripts/undock-alone.ts']]],
  ['types of undock', [tool('tsc'), ['-p', 'undock']]],
  ['types of the console', [tool('tsc'), ['-p', 'undock/console']]],
  ['types of the app', [tool('tsc'), ['-p', '.']]],
  ['texts in every language', [node, ['scripts/messages.ts']]],
  ['templates of mails', [node, ['scripts/mail-templates.ts', '--check']]],
  ['unit and integration', [tool('vitest'), ['run']]],
  ['edge functions', [node, ['scripts/test-functions.ts']]],
  ['database policies (pgTAP)', inStack(node, undock, 'db', 'test')],
  ['database policies on PGlite', inStack(node, undock, 'db', 'test'), { ...process.env, UNDOCK_ENGINE: 'pglite' }],
  ['generated types', inStack(node, 'scripts/types.ts', '--check')],
  ['schema and migrations', [node, ['scripts/schema.ts', '--check']]],
  ['build', [tool('vite'), ['build', '--logLevel', 'warn', '--mode', 'test']]],
  ['console', [tool('playwright'), ['test', '--config', 'undock/tests/console']]],
  ['browser', inStack(tool('playwright'), 'test'), { ...process.env, ...COMPANY_SIGN_IN }],
]

/** What the pages of the failed browser tests showed, from the files that Playwright wrote. */
async function shownPages(): Promise<string> {
  const files = await Array.fromAsync(glob('test-results/*/error-context.md'))
  const pages = await Promise.all(files.map(async (file) => `${file}\n${await readFile(file, 'utf8')}`))
  return pages.map((page) => page.slice(0, MOST_OF_A_PAGE)).join('\n')
}
const MOST_OF_A_PAGE = 4_000

const failures: { name: string; end: string }[] = []
let passed = 0

const wanted = process.argv.slice(2)
for (const [name, [command, args], env] of CHECKS) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  console.log(`\n── ${name}`)
  const started = Date.now()
  const { code, end } = await runKept(command, args, env)
  console.log(`── ${name} took ${Math.round((Date.now() - started) / 1000)} s`)
  if (code === 0) passed += 1
  else failures.push({ name, end: name === 'browser' ? `${end}\n${await shownPages()}` : end })
}

for (const { name, end } of failures) if (end) console.log(`\n── how "${name}" ended\n${end}`)
if (failures.length > 0) console.log(`\nFailed: ${failures.map(({ name }) => name).join(', ')}`)
console.log(`\n${passed} passed, ${failures.length} failed`)
process.exit(failures.length === 0 ? 0 : 1)
