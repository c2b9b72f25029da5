// `npm test`: all checks, cheapest first, continuing after failures. Arguments name the checks to run; `--changed
// [COMMIT]` selects those for a change (`npm run test:changed`).
import { glob, mkdir, readFile, rm } from 'node:fs/promises'
import { changedChecks } from './changed-checks.ts'
import { firstFreePort, ROOT, runHeld, runKept, tool, UNDOCK } from './processes.ts'
import { readReport } from './test-report.ts'

const inStack = (...command: string[]): [string, string[]] => {
  const [node, ...undock] = UNDOCK
  return [node, [...undock, 'run', '--', ...command]]
}
const node = process.execPath
const undock = UNDOCK[1] as string

const appPort = await firstFreePort(4173)
/** Where Playwright serves the app, and its sign-in provider. */
const BROWSER_ENV = {
  E2E_PORT: String(appPort),
  SUPABASE_AUTH_EXTERNAL_KEYCLOAK_ENABLED: 'true',
  SUPABASE_AUTH_EXTERNAL_KEYCLOAK_URL: `http://127.0.0.1:${await firstFreePort(appPort + 1)}/realms/test`,
  SUPABASE_AUTH_EXTERNAL_KEYCLOAK_CLIENT_ID: 'app',
  SUPABASE_AUTH_EXTERNAL_KEYCLOAK_SECRET: 'idp-secret',
}

const words = process.argv.slice(2)
const changed = words[0] === '--changed' ? changedChecks(words[1] ?? 'HEAD') : null
const wanted = changed?.names ?? new Set(words)
const isWanted = (name: string): boolean => words.length === 0 || wanted.has(name)

type Check = readonly [name: string, command: readonly [string, string[]], env?: NodeJS.ProcessEnv]

/** Failure reports of the test runners. */
const REPORTS = `${ROOT}node_modules/.cache/test-reports`
const REPORT_OF: Readonly<Record<string, string>> = {
  'unit and integration': `${REPORTS}/unit.json`,
  console: `${REPORTS}/console.json`,
  browser: `${REPORTS}/browser.json`,
}
const browserReporters = `--reporter=${process.env.CI ? 'dot' : 'list'},json`
const reportTo = (name: string): NodeJS.ProcessEnv => ({
  ...process.env,
  PLAYWRIGHT_JSON_OUTPUT_FILE: REPORT_OF[name],
})
await rm(REPORTS, { recursive: true, force: true })
await mkdir(REPORTS, { recursive: true })

const RELATED_PROJECTS = ['--project', 'app', '--project', 'console']

/** Checks of a stage run two at a time, for machines with two cores. A test run uses both by itself. */
const STAGES: readonly (readonly Check[])[] = [
  [
    [
      'lint',
      [tool('biome'), ['ci', '--no-errors-on-unmatched', '--files-ignore-unknown=true', ...(changed?.files ?? ['.'])]],
    ],
    ['layers and pages', [node, ['scripts/architecture.ts', '--check']]],
    ['layers and pages of undock', [node, ['undock/scripts/architecture.ts', '--check']]],
    ['commits and casts', [node, ['scripts/conventions.ts']]],
    ['unused files, exports and packages', [tool('knip'), ['--no-progress', '--exclude', 'binaries']]],
    ['types of undock', [tool('tsc'), ['-p', 'undock']]],
    ['types of the console', [tool('tsc'), ['-p', 'undock/console']]],
    ['types of the app', [tool('tsc'), ['-p', '.']]],
    ['texts in every language', [node, ['scripts/messages.ts']]],
    ['templates of mails', [node, ['scripts/mail-templates.ts', '--check']]],
    ['schema and migrations', [node, ['scripts/schema.ts', '--check']]],
  ],
  // Packing briefly changes undock's manifest, which other checks read.
  [['packages as npm would get them', [node, ['undock/scripts/publish.ts', '--into', 'node_modules/.cache/packed']]]],
  [
    [
      'unit and integration',
      [
        tool('vitest'),
        [
          ...['run', '--reporter=default', '--reporter=json'],
          `--outputFile.json=${REPORT_OF['unit and integration']}`,
          ...(changed?.tests ?? []),
        ],
      ],
    ],
  ],
  changed
    ? [
        [
          'unit tests that import what changed',
          [tool('vitest'), ['related', '--run', '--passWithNoTests', ...RELATED_PROJECTS, ...changed.related]],
        ],
      ]
    : [],
  [
    ['edge functions', [node, ['scripts/test-functions.ts']]],
    ['database policies (pgTAP)', inStack(node, undock, 'db', 'test')],
    ['generated types', inStack(node, 'scripts/types.ts', '--check')],
  ],
  [
    [
      'console',
      [tool('playwright'), ['test', '--config', 'undock/tests/console', browserReporters]],
      reportTo('console'),
    ],
  ],
  [['browser', inStack(tool('playwright'), 'test', browserReporters), { ...reportTo('browser'), ...BROWSER_ENV }]],
]

/** Returns what failed browser tests showed, from Playwright's files. */
async function shownPages(): Promise<string> {
  const files = await Array.fromAsync(glob('test-results/*/error-context.md'))
  const pages = await Promise.all(files.map(async (file) => `${file}\n${await readFile(file, 'utf8')}`))
  return pages.map((page) => page.slice(0, MAX_PAGE_CHARACTERS)).join('\n')
}
const MAX_PAGE_CHARACTERS = 4_000

const failures: { name: string; end: string }[] = []
let passed = 0

async function check([name, [command, args], env]: Check, isAlone: boolean): Promise<void> {
  if (isAlone) console.log(`\n── ${name}`)
  const started = Date.now()
  const { code, end, output } = isAlone
    ? { output: '', ...(await runKept(command, args, env)) }
    : await runHeld(command, args, env)
  if (!isAlone) console.log(`\n── ${name}\n${output}`.trimEnd())
  console.log(`── ${name} took ${Math.round((Date.now() - started) / 1000)} s`)
  if (code === 0) passed += 1
  else failures.push({ name, end: name === 'browser' ? `${end}\n${await shownPages()}` : end })
}

for (const stage of STAGES) {
  const checks = stage.filter(([name]) => isWanted(name))
  const waiting = checks.values()
  const work = async (): Promise<void> => {
    for (const one of waiting) await check(one, checks.length === 1)
  }
  await Promise.all([work(), work()])
}

for (const { name, end } of failures) if (end) console.log(`\n── how "${name}" ended\n${end}`)
const reports = Object.values(REPORT_OF).map(readReport)
list(
  'These tests passed only on a second try:',
  reports.flatMap((report) => report?.retried ?? []),
)
if (failures.length > 0) console.log(`\nFailed: ${failures.map(({ name }) => name).join(', ')}`)
list(
  'These tests failed (file | test | reason):',
  reports.flatMap((report) => report?.failed ?? []),
)
console.log(`\n${passed} passed, ${failures.length} failed`)
process.exit(failures.length === 0 ? 0 : 1)

function list(title: string, lines: readonly string[]): void {
  if (lines.length > 0) console.log(`\n${title}\n${lines.join('\n')}`)
}
