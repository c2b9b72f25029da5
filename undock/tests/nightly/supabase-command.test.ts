import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { currentState } from '../../src/runtime/branches/registry.ts'
import { COMMAND, PACKAGES } from '../support/paths.ts'
import { makeProject, type TestProject } from '../support/project.ts'

// `undock supabase …` replaces `supabase …`, so a project's package scripts and CI stay unchanged.

let project: TestProject
const running: ChildProcess[] = []
beforeAll(async () => {
  project = await makeProject({
    'config.toml': 'project_id = "drop-in"\n[storage.buckets.files]\npublic = true\n',
    'migrations/20250101000000_notes.sql': 'create table public.notes (id int primary key, text text);',
    'migrations/20250102000000_tags.sql': 'create table public.tags (id int primary key);',
    'seed.sql': "insert into public.notes values (1, 'seeded');",
    'other-seed.sql': "insert into public.notes values (2, 'other');",
    'tests/one.test.sql': "begin; select plan(1); select has_table('notes'); select * from finish(); rollback;",
    'functions/hello/index.ts': "Deno.serve(() => new Response(Deno.env.get('GREETING') ?? 'none'))",
    'functions/broken/index.ts': "import './missing.ts'",
    'greeting.env': 'GREETING=hello\n',
  })
})
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL')
  await supabase('stop')
  await project.remove()
})

type CommandResult = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

function begin(words: readonly string[], env: Readonly<Record<string, string>> = {}, made = project): ChildProcess {
  return spawn(process.execPath, [COMMAND, 'supabase', ...words], {
    cwd: made.folder,
    env: { ...process.env, ...made.ports, ...env, PATH: `${PACKAGES}/.bin:${process.env.PATH}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

const supabase = (...words: readonly string[]): Promise<CommandResult> => outcomeOf(begin(words))

async function outcomeOf(child: ChildProcess): Promise<CommandResult> {
  if (!child.stdout || !child.stderr) throw new Error('no output')
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code, stdout, stderr }
}

const variables = async (): Promise<Record<string, string>> =>
  JSON.parse((await supabase('status', '-o', 'json')).stdout) as Record<string, string>

async function notes(): Promise<unknown> {
  const { API_URL = '', SECRET_KEY = '' } = await variables()
  return (await createClient(API_URL, SECRET_KEY).from('notes').select('text').order('id')).data
}

test('without a backend, status and db reset fail and stop succeeds', async () => {
  expect((await supabase('status')).code).toBe(1)
  expect((await supabase('db', 'reset')).code).toBe(1)
  const list = await supabase('migration', 'list')
  expect(list).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is not running. Start it with `undock start`'),
  })
  expect(await supabase('stop')).toMatchObject({ code: 0 })
})

test('init creates a project that can start', async () => {
  const made = await makeProject({})
  const inMade = (...words: string[]) => outcomeOf(begin(words, { SUPABASE_PROJECT_ID: 'made-by-init' }, made))
  try {
    expect(await inMade('init')).toMatchObject({ code: 0 })
    expect(await readFile(join(made.folder, 'supabase/config.toml'), 'utf8')).toContain('[api]')
    expect(await inMade('init')).toMatchObject({ code: 1 })
    expect(await inMade('start')).toMatchObject({ code: 0 })
    const url = `http://127.0.0.1:${made.ports.SUPABASE_API_PORT}`
    expect((await inMade('status')).stdout).toContain(url)
    expect((await fetch(`${url}/auth/v1/health`)).status).toBe(200)
  } finally {
    expect(await inMade('stop')).toMatchObject({ code: 0 })
    await made.remove()
  }
})

test("start runs in the background, also twice, and status has the CLI's formats", async () => {
  expect(await supabase('start', '-x', 'studio,imgproxy', '--ignore-health-check')).toMatchObject({ code: 0 })
  expect(await supabase('start')).toMatchObject({ code: 0, stderr: expect.stringContaining('already') })
  const url = `http://127.0.0.1:${project.ports.SUPABASE_API_PORT}`
  expect((await supabase('status')).stdout).toContain(url)
  expect((await supabase('status', '-o', 'pretty')).stdout).toContain(url)
  expect((await supabase('status', '-o', 'env')).stdout).toContain(`API_URL="${url}"`)
  expect((await supabase('status', '--output', 'yaml')).stdout).toContain(`API_URL: "${url}"`)
  expect((await supabase('status', '-o', 'toml', '--override-name', 'api.url=HERE')).stdout).toContain(
    `HERE = "${url}"`,
  )
  expect(await supabase('status', '-o', 'xml')).toMatchObject({ code: 1 })
  const named = await supabase('status', '-o=env', '--override-name', 'api.url=HERE,api.graphql_url=GRAPHQL')
  expect(named).toMatchObject({ code: 0, stderr: expect.stringContaining('there is no api.graphql_url') })
  expect(named.stdout).toContain(`HERE="${url}"`)
  const structured = await supabase('status', '--output-format', 'json', '--exclude', 'x', '--ignore-health-check')
  expect(JSON.parse(structured.stdout)).toMatchObject({ API_URL: url })
  const elsewhere = { ...project, folder: tmpdir() }
  const fromElsewhere = begin(['status', '-o', 'json'], { SUPABASE_WORKDIR: project.folder }, elsewhere)
  expect(JSON.parse((await outcomeOf(fromElsewhere)).stdout)).toMatchObject({ API_URL: url })
  await expect
    .poll(async () => (await supabase('status')).stdout, { timeout: 20_000 })
    .toContain('The function broken cannot boot: Module not found')
  expect(await readFile(join(project.folder, 'supabase/.undock/logs/undock.log'), 'utf8')).toContain(
    'functions: broken cannot boot',
  )
})

test('db reset applies everything or the part its flags select', async () => {
  expect(await supabase('db', 'reset')).toMatchObject({ code: 0 })
  expect(await notes()).toEqual([{ text: 'seeded' }])
  expect(await supabase('db', 'reset', '--no-seed', '--local')).toMatchObject({ code: 0 })
  expect(await notes()).toEqual([])
  expect(await supabase('db', 'reset', '--sql-paths', './other-seed.sql')).toMatchObject({ code: 0 })
  expect(await notes()).toEqual([{ text: 'other' }])
  for (const words of [
    ['--version', '20250101000000'],
    ['--last', '1'],
  ]) {
    expect(await supabase('db', 'reset', ...words)).toMatchObject({ code: 0 })
    expect((await supabase('migration', 'list')).stdout.match(/`20250102000000`/g), String(words)).toHaveLength(1)
  }
  for (const words of [
    ['--version', '1'],
    ['--last', 'two'],
    ['--last', '1', '--version', '20250101000000'],
    ['--no-seed', '--sql-paths', 'seed.sql'],
    ['--sql-paths', ''],
    ['--sql-paths', '../../etc/passwd'],
    ['20250101000000'],
  ])
    expect(await supabase('db', 'reset', ...words), String(words)).toMatchObject({ code: 1 })
  const unmatched = await supabase('db', 'reset', '--last', '9', '--sql-paths', 'none/*.sql')
  expect(unmatched).toMatchObject({ code: 0, stderr: expect.stringContaining('no seed file matches supabase/none/') })
  expect((await supabase('migration', 'list')).stdout.match(/`20250101000000`/g)).toHaveLength(1)
  expect(await supabase('db', 'reset', '--last', '0', '--version', '')).toMatchObject({ code: 0 })
  expect(await notes()).toEqual([{ text: 'seeded' }])
  expect(await supabase('db', 'reset')).toMatchObject({ code: 0 })
})

test('commands that need Docker upstream work without it', async () => {
  expect(await supabase('test', 'db')).toMatchObject({ code: 0, stdout: expect.stringContaining('ok 1') })
  expect((await supabase('gen', 'types', 'typescript', '--local')).stdout).toMatch(/"?notes"?: \{/)
  expect((await supabase('gen', 'types', '--lang', 'go')).stdout).toContain('PublicNotesSelect')
  expect((await supabase('db', 'dump', '--local', '--data-only')).stdout).toContain("'seeded'")
  expect((await supabase('db', 'query', 'create table public.drawn (id int)')).code).toBe(0)
  expect(await supabase('db', 'diff', '-f', 'drawn')).toMatchObject({ code: 0 })
  const [made = ''] = (await readdir(join(project.folder, 'supabase/migrations'))).filter((name) => /drawn/.test(name))
  expect(await readFile(join(project.folder, 'supabase/migrations', made), 'utf8')).toMatch(/create table .*drawn/i)
})

test('db dump writes the selected part, also to a file, and rejects conflicting flags', async () => {
  for (const statement of [
    'create schema side',
    'create table side.kept (id int)',
    "comment on table side.kept is 'Said of it.'",
    'insert into side.kept values (7)',
    'create role librarian',
  ])
    expect(await supabase('db', 'query', statement)).toMatchObject({ code: 0 })
  const dump = async (...words: string[]) => {
    const outcome = await supabase('db', 'dump', ...words)
    expect(outcome, words.join(' ')).toMatchObject({ code: 0 })
    return outcome.stdout
  }
  const side = await dump('-s', 'side')
  expect(side).toContain('"side"."kept"')
  expect(side).not.toContain('"public"."notes"')
  // The CLI means lines starting with `--`, not table comments.
  expect(side).not.toMatch(/^-- \S/m)
  expect(await dump('-s', 'side', '--keep-comments')).toMatch(/^-- \S/m)
  expect(await dump('--role-only')).toContain('librarian')
  const rows = await dump('--data-only', '-x', 'public.notes')
  expect([rows.includes('"side"."kept"'), rows.includes('"public"."notes"')]).toEqual([true, false])
  expect(await dump('-s', 'side', '-f', 'side.sql')).toBe('')
  expect(await readFile(join(project.folder, 'side.sql'), 'utf8')).toContain('"side"."kept"')
  expect(await supabase('db', 'dump', '--dry-run')).toMatchObject({ code: 1 })
  // As in Supabase's guide to backups.
  const copied = await supabase('db', 'dump', '--data-only', '--use-copy', '-x', 'storage.buckets_vectors')
  expect(copied).toMatchObject({ code: 0, stdout: expect.stringContaining('INSERT INTO "side"."kept"') })
  expect(copied.stderr).toContain('INSERT instead of COPY')
})

test('db diff compares the given schemas with pg-delta', async () => {
  expect((await supabase('db', 'diff', '-s', 'public')).stdout).not.toContain('kept')
  const side = await supabase('db', 'diff', '-s', 'side', '--use-migra')
  expect(side).toMatchObject({ code: 0, stdout: expect.stringContaining('CREATE TABLE "side"."kept"') })
  expect(side.stderr).toContain('pg-delta')
  expect(await supabase('db', 'diff', '--strict-coverage')).toMatchObject({ code: 1 })
})

test('passes other commands, unknown flags and help to the CLI', async () => {
  expect((await supabase('migration', 'list')).stdout).toContain('20250101000000')
  expect((await supabase('db', 'reset', '--help')).stdout).toContain('--sql-paths')
  expect(await supabase('start', '--bogus')).toMatchObject({ code: 1, stderr: expect.stringContaining("'--bogus'") })
  expect(await supabase('db', 'push', '--bogus')).toMatchObject({ code: 1 })
})

test('functions serve sets variables and disables token checks until it ends', async () => {
  // No function has been called, so there is no log yet.
  const first = begin(['functions', 'serve'])
  running.push(first)
  await expect.poll(() => first.stderr?.read()?.toString(), { timeout: 20_000 }).toContain('Serving functions on')
  await sleep(500)
  expect(first.exitCode).toBeNull()
  first.kill('SIGINT')
  const { FUNCTIONS_URL, SECRET_KEY = '' } = await variables()
  const call = (headers = {}) =>
    fetch(`${FUNCTIONS_URL}/hello`, { headers }).then(async (answer) => `${answer.status} ${await answer.text()}`)
  const withKey = { Authorization: `Bearer ${SECRET_KEY}`, apikey: SECRET_KEY }
  expect(await call(withKey)).toBe('200 none')
  expect(await call()).toMatch(/^401/)
  // Node handles this option itself, with its own exit code.
  expect(await supabase('functions', 'serve', '--env-file', 'missing.env')).toMatchObject({ code: 9 })
  for (const refused of [['--import-map', 'x.json'], ['--inspect'], ['--inspect-mode', 'brk'], ['--inspect-main']])
    expect(await supabase('functions', 'serve', ...refused), String(refused)).toMatchObject({ code: 1 })

  const serving = begin(['functions', 'serve', '--no-verify-jwt', '--env-file', 'supabase/greeting.env'])
  running.push(serving)
  await expect.poll(() => call(), { timeout: 20_000 }).toBe('200 hello')
  serving.kill('SIGINT')
  await once(serving, 'exit')
  await expect.poll(() => call(withKey), { timeout: 20_000 }).toBe('200 none')
  expect(await call()).toMatch(/^401/)
})

test('an invalid name never selects the default backend', async () => {
  const named = begin(['stop', '--no-backup'], { UNDOCK_NAME: 'not a name' })
  expect(await outcomeOf(named)).toMatchObject({ code: 1, stderr: expect.stringContaining('is not a valid name') })
  expect(await supabase('stop', '--all', '--no-backup')).toMatchObject({ code: 1 })
  expect((await supabase('status')).code).toBe(0)
})

const undo = () =>
  outcomeOf(
    spawn(process.execPath, [COMMAND, 'undo', '--yes'], { cwd: project.folder, stdio: ['ignore', 'pipe', 'pipe'] }),
  )

test('stop --no-backup deletes the data, and undo restores it', async () => {
  const { code, stderr } = await supabase('stop', '--no-backup')
  expect(code, stderr).toBe(0)
  expect(stderr).toMatch(/About to delete .*: \d+ rows? in \d+ tables?, .*[\s\S]*`undock undo` brings it back/)
  expect(await undo()).toMatchObject({ code: 0 })
  expect(await supabase('start')).toMatchObject({ code: 0 })
  expect(await notes()).not.toEqual([])
  expect(await supabase('stop', '--no-backup', '--no-snapshot')).toMatchObject({ code: 0 })
  const root = join(project.folder, 'supabase/.undock')
  expect(existsSync(join(currentState(root), 'database-native'))).toBe(false)
})
