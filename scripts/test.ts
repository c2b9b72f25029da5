// `npm test`: every check, in the order in which a fault is cheapest to find. Goes on after a failure, so that one run
// shows all of them.
import { run, tool, UNDOCK } from './processes.ts'

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
  ...['engine-db', 'bootstrap', 'migrations/apply'].map((name) => `undock/src/database/${name}.test.ts`),
  '--exclude=src/storage/vectors/**',
]

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
  ['browser', inStack(tool('playwright'), 'test')],
]

const wanted = process.argv.slice(2)
const failed: string[] = []
let passed = 0
for (const [name, [command, args], env] of CHECKS) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  console.log(`\n── ${name}`)
  if ((await run(command, args, env)) === 0) passed += 1
  else failed.push(name)
}
if (failed.length > 0) console.log(`\nFailed: ${failed.join(', ')}`)
console.log(`\n${passed} passed, ${failed.length} failed`)
process.exit(failed.length === 0 ? 0 : 1)
