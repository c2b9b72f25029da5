import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../supabase/functions/_shared/database.ts'
import { type Stack, startStack } from '../../undock/src/runtime/stack/stack.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const COMMAND = join(ROOT, 'programs/watch-folder.ts')
const PUBLISHABLE = 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH'

let stack: Stack
let demo: SupabaseClient<Database>
let folder: string
let library: string

beforeAll(async () => {
  stack = await startStack({ workdir: ROOT, ports: 'free', state: 'memory' })
  demo = createClient<Database>(stack.url, PUBLISHABLE, { auth: { persistSession: false } })
  await demo.auth.signInWithPassword({ email: 'demo@carrel.local', password: 'carrel-demo-library' })
  library = (await demo.rpc('create_library', { name: 'Scans' }).throwOnError()).data.id
  folder = await mkdtemp(join(tmpdir(), 'carrel-watch-'))
  await mkdir(join(folder, 'Letters/2026'), { recursive: true })
  await writeFile(join(folder, 'lamps.txt'), 'Oil and wick.')
  await writeFile(join(folder, 'Letters/2026/boat.md'), '# The boat')
  await writeFile(join(folder, 'tool.exe'), 'MZ\0')
  await writeFile(join(folder, 'empty.csv'), '')
  await writeFile(join(folder, 'film.mp4.crdownload'), 'x')
  await writeFile(join(folder, '.hidden.txt'), 'x')
})
afterAll(async () => {
  await stack?.stop()
  await rm(folder, { recursive: true, force: true })
})

const start = (...words: string[]): ChildProcess =>
  spawn(process.execPath, [COMMAND, folder, ...words], {
    env: {
      ...process.env,
      CARREL_URL: stack.url,
      CARREL_EMAIL: 'demo@carrel.local',
      CARREL_PASSWORD: 'carrel-demo-library',
    },
  })

async function run(...words: string[]): Promise<{ code: number; output: string }> {
  const child = start(...words)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (output += text))
  const code = await new Promise<number>((resolve) => child.on('exit', (status) => resolve(status ?? -1)))
  return { code, output }
}

async function documents() {
  const { data } = await demo
    .from('documents')
    .select('title, collection:collections(name)')
    .eq('library_id', library)
    .order('title')
    .throwOnError()
  return data.map(({ title, collection }) => [title, collection?.name ?? null])
}

test('files are added once, subfolders become collections, and skipped files are reported', async () => {
  const first = await run('--once', '--library', 'Scans')
  expect(first.output).toContain('3 added, 0 were there already, 1 could not be added.')
  expect(first.output).toMatch(/Not added: .*empty\.csv: it is empty/)
  expect(first.code).toBe(1)
  expect(await documents()).toEqual([
    ['boat', '2026'],
    ['lamps', null],
    ['tool.exe', null],
  ])
  await rm(join(folder, 'empty.csv'))
  const second = await run('--once', '--library', library)
  expect(second).toMatchObject({ code: 0, output: expect.stringContaining('0 added, 3 were there already') })
})

test('a new file is added while the folder is watched', async () => {
  const child = start('--library', 'Scans', '--every', '1')
  try {
    await writeFile(join(folder, 'later.txt'), 'It came later.')
    await expect.poll(documents, { timeout: 30_000 }).toContainEqual(['later', null])
  } finally {
    child.kill()
  }
})

test('missing libraries and invalid options are explained', async () => {
  expect(await run('--once')).toMatchObject({
    code: 1,
    output: expect.stringContaining('Name one library by --library'),
  })
  expect(await run('--every', 'x')).toMatchObject({ code: 1, output: expect.stringContaining('--every takes') })
  expect(await run('--all')).toMatchObject({ code: 1, output: expect.stringContaining("Unknown option '--all'") })
})
