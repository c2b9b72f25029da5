import { chmod, mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { loadConfig } from '../../config/load.ts'
import { makeFiles } from '../../testing/files.ts'
import { openInstallation } from '../postgres/installation.ts'
import { ordinaryUser, reachableNode } from '../postgres/ordinary-user.ts'
import { chooseEngine } from './choose-engine.ts'
import { folderOf } from './kept-data.ts'

async function project(files: Readonly<Record<string, string>> = {}, parent = tmpdir()) {
  const folder = await mkdtemp(join(parent, 'undock-choice-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const supabaseFolder = join(folder, 'supabase')
  await makeFiles(supabaseFolder, files)
  const { config } = loadConfig({ toml: '', file: 'config.toml', env: {}, folder: supabaseFolder })
  const dataFolder = join(supabaseFolder, '.undock', 'database')
  return {
    supabaseFolder,
    config,
    dataFolder,
    experimental: false,
    missingExtensions: 'error',
    tell: () => undefined,
  } as const
}

async function keepData(folder: string, seconds: number): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'undock.complete'), '')
  await utimes(join(folder, 'undock.complete'), seconds, seconds)
}

test('uses the native engine if it can run the project', async () => {
  // The http shim is a Node program that the server's user must be able to run.
  const http = reachableNode(ordinaryUser()) ? 'create extension http;' : ''
  const plain = await project({
    'migrations/1_a.sql': `create extension if not exists "pg_trgm" with schema extensions; create extension pgmq; ${http}
      -- create extension postgis;
      /* create extension rum; */`,
  })
  expect(await chooseEngine(plain)).toMatchObject({ engine: 'native', installation: { major: 17 } })
  expect(await chooseEngine({ ...plain, dataFolder: null })).toMatchObject({
    engine: 'native',
    installation: { major: 17 },
  })
})

test('uses PGlite if the native engine lacks an extension, and names it', async () => {
  const { extensions } = openInstallation(17)
  const missing = ['vector', 'pg_hashids', 'postgis'].filter((name) => !extensions.has(name))
  const files = {
    'seed.sql': 'create extension vector; create extension pg_hashids;',
    'migrations/1_a.sql': 'CREATE EXTENSION IF NOT EXISTS PostGIS;',
  }
  expect(await chooseEngine(await project(files))).toEqual({
    engine: 'pglite',
    reason: expect.stringMatching(
      new RegExp(
        `has no ${missing.join(', ').replace('postgis', 'postgis \\(no package .* is published\\..+\\)')} on this machine`,
      ),
    ),
    remedy: expect.stringMatching(
      missing.includes('postgis') ? /@undock\/postgres-17-.* PostgreSQL 17 .*postgresql-17-postgis-3/ : /PostgreSQL 17/,
    ),
  })
})

test('data stays with the engine that last used it', async () => {
  const kept = await project()
  await keepData(kept.dataFolder, 1_000)
  expect(await chooseEngine(kept)).toMatchObject({ engine: 'pglite', remedy: expect.stringContaining('undock reset') })
  await keepData(folderOf(kept.dataFolder, 17), 2_000)
  expect(await chooseEngine(kept)).toMatchObject({ engine: 'native', installation: { major: 17 } })
  await keepData(kept.dataFolder, 3_000)
  expect(await chooseEngine(kept)).toMatchObject({ engine: 'pglite' })
})

test.runIf(process.getuid?.() === 0)(
  "as root, uses PGlite if the server’s user can't read folders, and names them all",
  async () => {
    const outer = await mkdtemp('/var/tmp/outer-')
    onTestFinished(() => rm(outer, { recursive: true, force: true }))
    const closed = await project({}, outer)
    expect(await chooseEngine(closed)).toEqual({
      engine: 'pglite',
      reason: `PostgreSQL refuses to run as root, and other users can't enter ${outer} and ${dirname(closed.supabaseFolder)}`,
      remedy: expect.stringContaining(`chmod o+x ${outer} ${dirname(closed.supabaseFolder)}`),
    })
  },
)

test.runIf(process.getuid?.() === 0 && !openInstallation(17).extensions.has('http'))(
  "as root, uses PGlite for the extension http if the server’s user can't reach any Node",
  async () => {
    const files = { 'migrations/1_a.sql': 'create extension http' }
    const closed = await project({}, '/var/tmp')
    const open = await mkdtemp('/var/tmp/open-')
    await chmod(open, 0o755)
    await mkdir(closed.supabaseFolder, { recursive: true })
    for (const folder of [open, closed.supabaseFolder]) await writeFile(join(folder, 'node'), '')
    const node = process.execPath
    onTestFinished(async () => {
      process.execPath = node
      vi.unstubAllEnvs()
      await rm(open, { recursive: true })
    })
    process.execPath = join(closed.supabaseFolder, 'node')
    vi.stubEnv('PATH', `${closed.supabaseFolder}:${open}`)
    expect(await chooseEngine(await project(files))).toMatchObject({ engine: 'native' })
    vi.stubEnv('PATH', `${closed.supabaseFolder}:.`)
    expect(await chooseEngine(await project(files))).toEqual({
      engine: 'pglite',
      reason: expect.stringContaining('has no http on this machine'),
      remedy: expect.stringContaining('postgresql-17-http'),
    })
  },
)
