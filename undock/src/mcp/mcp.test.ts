import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { loadConfig } from '../config/load.ts'
import { createIdentity } from '../identity/create-identity.ts'
import { type RequestHandler, systemClock } from '../kernel/service.ts'
import { createMcp } from './index.ts'
import { VERSIONS } from './package.ts'

// Tests access before the package is loaded; tests/acceptance/agents.test.ts uses the tools. The package can't be downloaded here,
// so admitted callers get 503.

let folder: string
let secret: string
let handle: RequestHandler
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'undock-mcp-'))
  const { config } = loadConfig({ toml: '', file: 'config.toml', env: {}, folder })
  const identity = await createIdentity({ config: config.auth, clock: systemClock })
  secret = identity.keys.secret
  handle = createMcp({
    isPrefetched: false,
    identity,
    config,
    host: '0.0.0.0',
    dbUrl: 'postgresql://postgres@127.0.0.1:1/postgres',
    mailUrl: null,
    supabaseFolder: folder,
    functionsFolder: join(folder, 'functions'),
    listFunctions: async () => [],
    readLogs: async () => [],
    handlerOf: () => null,
    keepForUndo: null,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  })
})
beforeEach(() => {
  vi.stubEnv('UNDOCK_CACHE_DIR', join(folder, 'empty'))
  vi.stubEnv('PATH', '')
})
afterEach(() => {
  vi.unstubAllEnvs()
})
afterAll(() => rm(folder, { recursive: true }))

test('downloads the package versions that the types come from', async () => {
  const manifest = JSON.parse(await readFile(join(import.meta.dirname, '../../package.json'), 'utf8'))
  expect(manifest.devDependencies).toMatchObject(VERSIONS)
})

const ask = async (address: string, headers: Record<string, string>, query = '') => {
  const url = `http://127.0.0.1:54321/mcp${query}`
  const response = await handle(new Request(url, { method: 'POST', headers, body: '{}' }), { requestId: 'x', address })
  const { error } = await response.json()
  return [response.status, error.message]
}
const LOCAL = { host: '127.0.0.1:54321' }

test.each(['127.0.0.1', '::1', '::ffff:127.0.0.1'])('a local program (%s) needs no key', async (address) => {
  expect(await ask(address, LOCAL)).toEqual([503, expect.stringContaining('npm could not fetch')])
})

test.skipIf(process.platform === 'win32')('after a failure, rejects calls until the next retry', async () => {
  expect(await ask('127.0.0.1', LOCAL)).toEqual([503, expect.stringContaining('npm could not fetch')])
  const programs = join(folder, 'programs')
  await mkdir(programs)
  // Waits until this process ends.
  await writeFile(join(programs, 'npm'), '#!/bin/sh\nexec /bin/cat\n', { mode: 0o755 })
  vi.stubEnv('PATH', programs)
  for (const _ of [1, 2]) expect(await ask('127.0.0.1', LOCAL)).toEqual([503, expect.stringContaining('Retrying now')])
})

test.each(['192.168.1.7', '::ffff:192.168.1.7', 'fe80::1', ''])(
  'a remote program (%s) needs the secret key',
  async (address) => {
    expect(await ask(address, LOCAL)).toEqual([401, expect.stringContaining('needs the secret key')])
    expect(await ask(address, { ...LOCAL, apikey: secret })).toEqual([503, expect.any(String)])
  },
)

test("doesn't trust a host name that resolves to this machine", async () => {
  expect(await ask('127.0.0.1', { host: 'evil.example' })).toEqual([401, expect.any(String)])
})

test.each([
  ['?read_only=1', 'read_only must be true or false, not "1"'],
  ['?snapshots=no', 'snapshots must be true or false, not "no"'],
  ['?features=databse', 'There is no feature "databse"'],
])('rejects %s', async (query, message) => {
  expect(await ask('127.0.0.1', LOCAL, query)).toEqual([400, expect.stringContaining(message)])
})

test('hides features that only hosted projects have', async () => {
  expect(await ask('127.0.0.1', LOCAL, '?features=database,docs,account')).toEqual([503, expect.any(String)])
})
