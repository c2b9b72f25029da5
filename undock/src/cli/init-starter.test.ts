import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { addStarter } from '../project-tools/starters/add-starter.ts'
import { readStarter, STARTER_NAMES } from '../project-tools/starters/catalog.ts'
import { type Stack, startStack } from '../runtime/stack/stack.ts'
import { withClient } from './database-target.ts'
import { runCli } from './run-cli.ts'

let folder: string
let stack: Stack | undefined
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'undock-starter-'))
})
afterAll(async () => {
  await stack?.stop()
  await rm(folder, { recursive: true, force: true })
})

const read = (path: string) => readFile(join(folder, 'supabase', path), 'utf8')

/** Runs a command. @returns its exit code and its output on stdout and stderr */
async function run(...words: string[]): Promise<{ code: number; printed: string }> {
  const lines: unknown[] = []
  const spies = (['log', 'error'] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation((...line) => void lines.push(...line)),
  )
  const code = await runCli(words)
  for (const spy of spies) spy.mockRestore()
  return { code, printed: lines.join('\n') }
}

test('init --starter creates a project in an empty folder and rejects existing files', async () => {
  const first = await run('init', '--starter', 'todo', '--workdir', folder)
  expect(first).toMatchObject({ code: 0, printed: expect.stringContaining("supabase.from('todos').insert") })
  expect(await read('config.toml')).toMatch(/^project_id = "undock-starter-\w+"\n$/)
  expect(await readdir(join(folder, 'supabase', 'migrations'))).toEqual([expect.stringMatching(/^\d{14}_todo\.sql$/)])
  const seed = await read('seed.sql')
  expect(seed).toContain('insert into public.todos')

  const again = await run('init', '--starter', 'todo', '--workdir', folder)
  expect(again.code).toBe(2)
  expect(again.printed).toContain(
    'The starter "todo" cannot be added: the table public.todos and the file supabase/tests/todo.test.sql exist already.',
  )
  expect(await read('seed.sql')).toBe(seed)
})

test('a failed starter leaves no file and no table', async () => {
  stack = await startStack({ workdir: folder, ports: 'free', state: 'memory', exclude: ['functions'] })
  const { dbUrl } = stack
  const target = { supabaseFolder: join(folder, 'supabase'), seed: stack.config.db.seed }
  const seed = await read('seed.sql')
  const broken = { ...readStarter('chat'), seed: 'insert into public.rooms (name) values (null)' }
  await expect(withClient(dbUrl, (client) => addStarter(client, broken, target))).rejects.toThrow('null value')
  expect(await read('seed.sql')).toBe(seed)
  expect(await readdir(join(folder, 'supabase', 'tests'))).toEqual(['todo.test.sql'])
  expect(await readdir(join(folder, 'supabase', 'migrations'))).toHaveLength(1)

  // The files are applied to the running database and create the next one.
  for (const name of ['chat', 'documents'] as const)
    await withClient(dbUrl, (client) => addStarter(client, readStarter(name), target))
  expect((await read('seed.sql')).match(/insert into auth\.users/g)).toHaveLength(1)
  await stack.reset()
})

test('all starters pass their tests, and the advisors find nothing to fix', async () => {
  vi.stubEnv('SUPABASE_DB_URL', stack?.dbUrl)
  const tested = await run('db', 'test', '--workdir', folder, 'tests/*.test.sql')
  expect(tested.printed).toMatch(/35 passed, 0 failed$/)
  const advised = await run('advisors', '--workdir', folder, '--level', 'info', '--output', 'json')
  vi.unstubAllEnvs()
  const findings = JSON.parse(advised.printed.replace(/No issues found$/, '')) as { name: string }[]
  expect(findings.filter(({ name }) => !UNAVOIDABLE.includes(name))).toEqual([])
})

/** Before anything has used the database. With pg_graphql, its schema includes each table that signed-in users can read. */
const UNAVOIDABLE = ['unused_index', 'pg_graphql_authenticated_table_exposed']

test.each(STARTER_NAMES)('the code shown for %s works', async (name) => {
  const supabase = createClient(stack?.url ?? '', stack?.identity.keys.publishable ?? '')
  const lines: unknown[] = []
  const AsyncFunction = (async () => undefined).constructor as new (
    ...texts: string[]
  ) => (...values: unknown[]) => Promise<void>
  const log = { log: (line: unknown) => void lines.push(line) }
  await new AsyncFunction('supabase', 'console', readStarter(name).snippet)(supabase, log)
  const rows = async (table: string, column: string, value: unknown) =>
    (await supabase.from(table).select().eq(column, value).throwOnError()).data
  if (name === 'todo') expect(await rows('todos', 'title', 'Write an app')).toMatchObject([{ is_done: true }])
  if (name === 'chat') await vi.waitFor(() => expect(lines).toEqual(['Hello from supabase-js']), 10_000)
  if (name === 'documents') {
    const [document] = await rows('documents', 'title', 'Loom')
    const { data } = await supabase.storage.from('documents').download(document.file_path)
    expect(await data?.text()).toBe('More about the loom')
  }
  await supabase.removeAllChannels()
})
