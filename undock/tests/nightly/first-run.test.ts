import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type PackedProject, packedProject } from '../support/packed.ts'
import { PACKAGES } from '../support/paths.ts'

/** Milliseconds to install a package and create Deno and a first cluster on a busy machine. */
const TIMEOUT = 600_000

const TESTS = `
test('rows', async ({ stack }) => {
  await stack.query('insert into public.notes values (1)')
})
test("the previous test's rows were removed", async ({ stack }) => {
  expect(await stack.query('select * from public.notes')).toEqual([])
})
test('a function', async ({ stack }) => {
  const headers = { Authorization: 'Bearer ' + stack.keys.anon }
  expect(await (await fetch(stack.url + '/functions/v1/hello', { headers })).text()).toBe('hello')
})
`

const versionOf = (name: string): string =>
  `${name}@${JSON.parse(readFileSync(`${PACKAGES}/${name}/package.json`, 'utf8')).version}`

let project: PackedProject

beforeAll(async () => {
  project = await packedProject({ packages: [versionOf('vitest'), versionOf('@playwright/test')] })
  await project.write({
    'supabase/migrations/20260101000000_notes.sql': 'create table public.notes (id int primary key);',
    'supabase/functions/hello/index.ts': `Deno.serve(() => new Response('hello'))`,
    'cold.test.ts': `import { expect } from 'vitest'\nimport { stackTest } from 'undock/vitest'\nconst test = stackTest()\n${TESTS}`,
    'cold.spec.ts': `import { expect } from '@playwright/test'\nimport { test } from 'undock/playwright'\n${TESTS}`,
    'playwright.config.ts': `export default { testMatch: '*.spec.ts', workers: 1, timeout: 5_000 }`,
  })
}, TIMEOUT)
afterAll(() => project?.remove())

// Each run has its own home, so neither uses the other's caches.
const runCold = (command: string, args: readonly string[]) => {
  const home = `${project.folder}/home-${command}`
  return project.run(`node_modules/.bin/${command}`, args, { HOME: home, npm_config_cache: `${home}/npm` })
}

test.each([
  ['vitest', ['run', 'cold.test.ts']],
  ['playwright', ['test']],
])(
  'the first run of %s on a machine passes within its default timeouts and says what it waits for',
  async (command, args) => {
    const { code, stdout, stderr } = await runCold(command, args)
    const output = stdout + stderr
    expect(code, output).toBe(0)
    expect(output).toContain('undock: preparing a new Postgres (once per machine)')
    expect(output).toContain('undock: fetching Deno from the npm registry (once per machine)')
  },
  TIMEOUT,
)

test(
  'the library loads with import and require, and an old Node reports which version it needs',
  async () => {
    const entries = ['undock', 'undock/vitest', 'undock/playwright']
    const required = await project.run(process.execPath, ['-p', `typeof require('undock').startStack`])
    expect(required.stdout.trim(), required.stderr).toBe('function')
    // The npm package that contains the platform's Node.
    const folder = join(project.folder, 'old')
    const name = `node-${process.platform}-${process.arch}`
    await project.run('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', `${name}@20.20.2`])
    for (const entry of entries) {
      const ended = await project.run(join(folder, 'node_modules', name, 'bin/node'), [
        '--input-type=module',
        '-e',
        `import '${entry}'`,
      ])
      expect(ended.stderr).toContain('Error: undock needs Node 22.18 or newer, and this is v20.20.2')
      expect(ended.code).toBe(1)
    }
    const { engines } = JSON.parse(readFileSync(join(project.folder, 'node_modules/undock/package.json'), 'utf8'))
    expect(engines).toEqual({ node: '>=22.18' })
  },
  TIMEOUT,
)
