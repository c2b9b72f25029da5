import { createClient } from '@supabase/supabase-js'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { runCli } from '../../src/cli/run-cli.ts'
import { type Stack, startStack } from '../../src/runtime/stack/stack.ts'
import { makeProject, type TestProject } from '../support/project.ts'

const CONFIG = 'project_id = "files"\n[edge_runtime]\nenabled = false\n'
const BUCKETS = { 'migrations/1_buckets.sql': 'create table public.t (id int primary key);' }

type Side = { readonly project: TestProject; readonly stack: Stack }

let source: Side
let target: Side
let told = ''

beforeAll(async () => {
  source = await startSide()
  target = await startSide()
  const { storage } = clientOf(source)
  for (const bucket of ['avatars', 'papers']) expect((await storage.createBucket(bucket)).error).toBeNull()
  for (const [bucket, name, text] of [
    ['avatars', 'ada/a + b & (1)?.txt', 'ada'],
    ['avatars', 'gone.txt', 'gone'],
    ['papers', 'large.txt', 'x'.repeat(5_000)],
    ['papers', 'small.txt', 'small'],
  ] as const)
    expect((await storage.from(bucket).upload(name, text, { contentType: 'text/plain' })).error).toBeNull()
})
afterAll(async () => {
  for (const side of [source, target]) {
    await side?.stack.stop()
    await side?.project.remove()
  }
})
beforeEach(() => {
  told = ''
  vi.stubEnv('UNDOCK_IMPORT_SECRET_KEY', source.stack.identity.keys.secret)
  vi.spyOn(console, 'error').mockImplementation((text) => {
    told += `${text}\n`
  })
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

async function startSide(): Promise<Side> {
  const project = await makeProject({ 'config.toml': CONFIG, ...BUCKETS })
  return { project, stack: await startStack({ workdir: project.folder, ports: 'free', state: 'disk' }) }
}

const clientOf = ({ stack }: Side) => createClient(stack.url, stack.identity.keys.secret)

async function textOf(side: Side, bucket: string, name: string): Promise<string | undefined> {
  const { data } = await clientOf(side).storage.from(bucket).download(name)
  return data?.text()
}

const undockImport = (...words: string[]) => runCli(['import', ...words, '--workdir', target.project.folder])

test('copies rows, then the files of selected buckets, then the rest', async () => {
  expect(await undockImport('--db-url', source.stack.dbUrl, '--storage', 'metadata', '--yes'), told).toBe(0)
  expect(told).toContain('undock import files')
  expect(await textOf(target, 'papers', 'small.txt')).toBeUndefined()

  const from = ['files', '--from', `${source.stack.url}/`]
  expect(await undockImport(...from, '--buckets', 'papers', '--max-size', '1KB'), told).toBe(0)
  expect(told).toContain('Downloaded 1 file,')
  expect(await textOf(target, 'papers', 'small.txt')).toBe('small')
  expect(await textOf(target, 'papers', 'large.txt')).toBeUndefined()

  // Files missing in the other project are reported and don't stop the others.
  await clientOf(source).storage.from('avatars').remove(['gone.txt'])
  told = ''
  expect(await undockImport(...from), told).toBe(1)
  expect(told).toContain('Downloaded 2 files,')
  expect(told).toMatch(/Couldn't download avatars\/gone\.txt: 40\d: Object not found/)
  expect(await textOf(target, 'avatars', 'ada/a + b & (1)?.txt')).toBe('ada')
  expect(await textOf(target, 'papers', 'large.txt')).toBe('x'.repeat(5_000))
  const { data } = await clientOf(target).storage.from('papers').info('large.txt')
  expect(data).toMatchObject({ size: 5_000, contentType: 'text/plain' })

  // Only the missing file is requested again.
  told = ''
  expect(await undockImport(...from, '--buckets', 'papers'), told).toBe(0)
  expect(told).toContain('Downloaded 0 files,')
})

test.each([
  [['--from', 'ftp://x'], 2, 'must be the URL'],
  [['--from', 'http://127.0.0.1:9', '--buckets', 'none'], 1, 'There is no bucket none'],
  [['--from', 'http://127.0.0.1:9', '--buckets', 'avatars'], 1, 'gone.txt: fetch failed'],
])('files %j end with %i', async (words, code, text) => {
  expect(await undockImport('files', ...words), told).toBe(code)
  expect(told).toContain(text)
})

test('rejects an invalid size', async () => {
  const printed = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  expect(await undockImport('files', '--from', 'http://127.0.0.1:9', '--max-size', 'big')).toBe(2)
  expect(printed.mock.calls.join()).toContain('Enter a size')
})

test('without a key, says which variable to set', async () => {
  vi.stubEnv('UNDOCK_IMPORT_SECRET_KEY', '')
  expect(await undockImport('files', '--from', 'http://127.0.0.1:9')).toBe(2)
  expect(told).toContain('UNDOCK_IMPORT_SECRET_KEY')
})
