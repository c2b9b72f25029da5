import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { startFunctionsServer } from '../../testing/functions-server.ts'
import { runCli } from '../run-cli.ts'

let workdir: string
const supabase = (path: string) => join(workdir, 'supabase', path)
beforeAll(async () => {
  workdir = await mkdtemp(join(tmpdir(), 'undock-functions-new-'))
  await mkdir(supabase(''))
  await writeFile(supabase('config.toml'), 'project_id = "new"\n[functions.known]\nverify_jwt = false')
  vi.spyOn(console, 'log').mockImplementation(() => {})
})
afterEach(() => vi.mocked(console.log).mockClear())
afterAll(() => rm(workdir, { recursive: true, force: true }))

test('each kind of new function accepts only its allowed callers', async () => {
  for (const auth of ['none', 'apikey', 'user'])
    expect(await runCli(['functions', 'new', `for-${auth}`, '--auth', auth, '--workdir', workdir])).toBe(0)
  expect(await runCli(['functions', 'new', 'known', '--workdir', workdir])).toBe(0)
  expect(vi.mocked(console.log).mock.calls.flat().join()).toContain('supabase/functions/for-none/index.ts')
  const toml = await readFile(supabase('config.toml'), 'utf8')
  expect(toml.match(/\[functions\.known\]/g)).toHaveLength(1)
  const names = ['for-none', 'for-apikey', 'for-user', 'known']
  const files = names.flatMap((name) => ['index.ts', 'deno.json'].map((file) => `functions/${name}/${file}`))
  const server = await startFunctionsServer(
    Object.fromEntries(await Promise.all(files.map(async (path) => [path, await readFile(supabase(path), 'utf8')]))),
    { toml },
  )
  const ask = async (name: string, headers: HeadersInit) => {
    const response = await fetch(`${server.url}/functions/v1/${name}`, {
      method: 'POST',
      headers,
      body: '{"name":"Ada"}',
    })
    return [response.status, await response.json()]
  }
  const apikey = server.identity.keys.publishable
  const hello = [200, { message: 'Hello Ada!' }]
  expect(await ask('for-none', {})).toEqual(hello)
  expect(await ask('for-apikey', { apikey })).toEqual(hello)
  expect(await ask('for-apikey', { apikey: 'none' })).toEqual([401, { message: 'Invalid API key' }])
  expect(await ask('for-user', {})).toEqual([401, { msg: 'Error: Missing authorization header' }])
  // The function started and rejected the request itself: the anonymous token belongs to no user.
  expect(await ask('for-user', { authorization: `Bearer ${server.identity.keys.anon}` })).toEqual([
    401,
    { message: expect.any(String) },
  ])
  await server.close()
})

test('prints what to add to a file that cannot be edited', async () => {
  const before = await readFile(supabase('config.toml'), 'utf8')
  await writeFile(supabase('config.toml'), 'functions = {}\n')
  const said = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  expect(await runCli(['functions', 'new', 'apart', '--workdir', workdir])).toBe(0)
  expect(said.mock.lastCall?.[0]).toMatch(/^Add to supabase\/config.toml:\n\[functions.apart\]\nenabled = true\n/)
  said.mockRestore()
  await writeFile(supabase('config.toml'), before)
})

test.each([
  [['../x'], '"../x" is not a valid name for a function'],
  [['1st'], 'is not a valid name'],
  [['for-none'], 'supabase/functions/for-none/index.ts already exists'],
])('rejects %j', async (words, message) => {
  const error = vi.spyOn(console, 'error').mockImplementation(() => {})
  expect(await runCli(['functions', 'new', ...words, '--workdir', workdir])).toBe(2)
  expect(error.mock.calls.flat().join()).toContain(message)
})
