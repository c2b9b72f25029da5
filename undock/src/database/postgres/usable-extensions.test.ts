import { chmodSync, copyFileSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { beforeAll, expect, test, vi } from 'vitest'
import { makeFiles } from '../../testing/files.ts'

// Simulates a PostgreSQL 17 with extensions, whose folders the test's own `pg_config` reports.

const home = mkdtempSync(join(tmpdir(), 'undock-system-'))
const [libraries, shared] = [join(home, 'lib'), join(home, 'share', 'extension')]
// A separate cache for installations and prepared data, because these files are new in each run.
process.env.UNDOCK_CACHE_DIR = join(home, 'cache')
// Other major versions would be downloaded and need a compiled library.
process.env.UNDOCK_TEST_MAJOR = '17'
process.env.PATH = `${join(home, 'bin')}:${process.env.PATH}`

const { openInstallation } = await import('./installation.ts')
const { usableExtensions } = await import('./usable-extensions.ts')
const { openTestDatabase } = await import('../../testing/database.ts')
const { chooseEngine } = await import('../project/choose-engine.ts')
const { findBinaries } = await import('./binaries.ts')
const { loadConfig } = await import('../../config/load.ts')

const control = (library: string, more = '') =>
  `default_version = '1.0'\nmodule_pathname = '$libdir/${library}'\n${more}`
const DISTANCE = `create function edits(text, text) returns int as 'MODULE_PATHNAME', 'levenshtein' language c strict`

beforeAll(async () => {
  await makeFiles(home, {
    'bin/pg_config': `#!/bin/sh\nprintf '%s\\n' 'PostgreSQL 17.0' '${libraries}' '${join(home, 'share')}'\n`,
    'share/extension/edits.control': control('edits', 'trusted = true\n'),
    'share/extension/edits--1.0.sql': DISTANCE,
    'share/extension/shell.control': control('edits'),
    'share/extension/shell--1.0.sql': DISTANCE,
    'share/extension/postgis.control': control('postgis-3'),
    'share/extension/postgis--1.0.sql': 'select 1',
    'share/extension/open.control': control('open'),
    'share/extension/open--1.0.sql': DISTANCE,
    'share/extension/hstore.control': control('hstore'),
    'share/extension/hstore--1.0.sql': 'select 1',
    'share/extension/pg_cron.control': control('edits'),
    'share/extension/pg_cron--1.0.sql': DISTANCE,
    'lib/postgis-3.so': 'no library',
  })
  const original = join(dirname(dirname(findBinaries(17).postgres)), 'lib/postgresql/fuzzystrmatch.so')
  for (const name of ['edits', 'open']) copyFileSync(original, join(libraries, `${name}.so`))
  chmodSync(join(libraries, 'open.so'), 0o666)
  symlinkSync(join(shared, 'removed'), join(shared, 'dangling.control'))
  symlinkSync(join(shared, 'removed'), join(shared, 'dangling--1.0.sql'))
  chmodSync(join(home, 'bin/pg_config'), 0o755)
  // As root, undock runs the server as another user, who must be able to read this.
  chmodSync(home, 0o755)
  return () => rmSync(home, { recursive: true, force: true })
})

test('the native engine can use extensions of a local PostgreSQL', async () => {
  const { url, close } = await openTestDatabase()
  const client = new pg.Client(url)
  try {
    await client.connect()
    await client.query('create extension edits')
    expect((await client.query(`select edits('kitten', 'sitting') as edits`)).rows).toEqual([{ edits: 3 }])
    // Neither trusted by its authors nor available on hosted projects, so denied to `postgres`.
    await expect(client.query('create extension shell')).rejects.toMatchObject({ code: '42501' })
  } finally {
    await client.end()
    await close()
  }
})

test('ignores PostgreSQL’s own extensions, shims with a worker, and world-writable files', () => {
  const { extensions, unusable } = openInstallation(17)
  expect(extensions).toContain('edits')
  expect(extensions).not.toContain('open')
  expect(extensions).not.toContain('pg_cron')
  expect(Object.keys(unusable)).toEqual(['postgis'])
})

test("skips a library that the server can't load, and tells a project that needs it why", async () => {
  await makeFiles(home, { 'supabase/migrations/1_a.sql': 'create extension postgis;' })
  const supabaseFolder = join(home, 'supabase')
  const { config } = loadConfig({ toml: '', file: 'config.toml', env: {}, folder: supabaseFolder })
  const options = { supabaseFolder, config, dataFolder: null, experimental: false, missingExtensions: 'error' } as const
  expect(await chooseEngine({ ...options, tell: () => undefined })).toEqual({
    engine: 'pglite',
    reason: expect.stringMatching(/has no postgis \(.*postgis-3\.so cannot be loaded: .+\) on this machine/),
    remedy: expect.stringContaining('postgresql-17-postgis-3'),
  })
})

test('retries libraries only after the machine’s files changed', () => {
  const binaries = vi.fn(() => openInstallation(17).binaries)
  const options = {
    major: 17,
    own: new Set(['hstore']),
    cacheFile: join(home, 'answer.json'),
    preloaded: [],
    binaries,
  } as const
  const first = usableExtensions(options)
  expect(usableExtensions(options)).toEqual(first)
  expect(binaries).toHaveBeenCalledTimes(1)

  copyFileSync(join(libraries, 'edits.so'), join(libraries, 'postgis-3.so'))
  const later = new Date(Date.now() + 5_000)
  utimesSync(libraries, later, later)
  const second = usableExtensions(options)
  expect(binaries).toHaveBeenCalledTimes(2)
  expect(second.usable.map(({ name }) => name)).toEqual(expect.arrayContaining(['edits', 'postgis']))
  expect(second.version).not.toBe(first.version)
  writeFileSync(join(shared, 'added.control'), control('edits'))
  writeFileSync(join(shared, 'added--1.0.sql'), DISTANCE)
  expect(usableExtensions(options).usable.map(({ name }) => name)).toContain('added')
})
