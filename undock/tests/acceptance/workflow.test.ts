import { execFile } from 'node:child_process'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { COMMAND, UNDOCK } from '../support/paths.ts'
import { makeProject, type TestProject } from '../support/project.ts'

const execute = promisify(execFile)

/** Steps not run here: the packages are already installed, and nothing fails. */
const NOT_HERE = ['npm ci', 'npx undock logs']

const ASK = (url: string, key: string) => `
  const answer = await fetch(process.env.${url} + '/rest/v1/notes', { headers: { apikey: process.env.${key} } })
  if ((await answer.json()).length !== 1) process.exit(1)
  console.log('asked ${url}')`

let project: TestProject
let steps: string[]

beforeAll(async () => {
  const example = await readFile(join(UNDOCK, 'docs/github-actions.yml'), 'utf8')
  steps = [...example.matchAll(/^ +- run: (.+)$/gm)].map(([, step = '']) => step)
  project = await makeProject({
    'config.toml': '[edge_runtime]\nenabled = false\n',
    'migrations/1_notes.sql': 'create table public.notes (id int); insert into public.notes values (1);',
    'tests/notes.sql': `
      begin;
      create extension if not exists pgtap with schema extensions;
      select plan(1);
      select has_table('notes');
      select * from finish();
      rollback;`,
  })
  const scripts = { test: 'node during-run.js', 'test:e2e': 'node after-start.js' }
  const bin = join(project.folder, 'node_modules', '.bin')
  await mkdir(bin, { recursive: true })
  await Promise.all([
    symlink(COMMAND, join(bin, 'undock')),
    writeFile(join(project.folder, 'package.json'), JSON.stringify({ private: true, type: 'module', scripts })),
    writeFile(join(project.folder, 'during-run.js'), ASK('SUPABASE_URL', 'SUPABASE_SECRET_KEY')),
    writeFile(join(project.folder, 'after-start.js'), ASK('API_URL', 'SECRET_KEY')),
    writeFile(join(project.folder, 'github-env'), ''),
  ])
})
afterAll(async () => {
  // If a step failed, the step that stops the stack didn't run.
  await step('npx undock stop').catch(() => undefined)
  await project.remove()
}, 120_000)

test('the GitHub Actions example runs unchanged', async () => {
  let told = ''
  for (const one of steps.filter((candidate) => !NOT_HERE.includes(candidate))) told += (await step(one)).stdout
  expect(told).toContain('asked SUPABASE_URL')
  expect(told).toContain('asked API_URL')
  expect(steps).toEqual(expect.arrayContaining(NOT_HERE))
}, 900_000)

/** Runs a step like GitHub's runner: in a shell that exits on the first error, with the variables that earlier steps wrote to the
 *  environment file. */
async function step(command: string) {
  const file = join(project.folder, 'github-env')
  const lines = (await readFile(file, 'utf8')).split('\n').filter(Boolean)
  const variables = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)))
  return execute('bash', ['-eo', 'pipefail', '-c', command], {
    cwd: project.folder,
    env: { ...process.env, ...project.ports, ...variables, GITHUB_ENV: file, npm_config_offline: 'true' },
  })
}
