import { existsSync } from 'node:fs'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { provideInstallation } from '../../src/database/postgres/installation.ts'
import { DEFAULT_MAJOR } from '../../src/database/postgres/postgres-package.ts'
import { makeTemporaryFolder } from '../../src/platform/folders.ts'
import { runJavascript, runTool } from './javascript.ts'
import type { Suite } from './suite.ts'
import { startTarget } from './target.ts'

const UPSTREAM = { repository: 'supabase/supabase-js', tag: 'v2.112.2', packages: '.' }

const SOURCES = {
  '^@supabase/(auth|functions|postgrest|realtime|storage)-js$': '<rootDir>/../$1-js/src',
  '^@supabase/tracing$': '<rootDir>/../../shared/tracing/src',
}

type Package = {
  /** The migration that creates a table with a geometry; missing if the project needs no PostGIS. */
  readonly postgisIn?: string
  readonly name: string
  /** The folder with `supabase/`, relative to the package. */
  readonly project: string
  readonly args: readonly string[]
  /** A package script that the tests need, and the file it writes into the project. */
  readonly prepare?: { readonly script: string; readonly writes: string }
}

/** The tests of a client library. They expect `supabase start` in their own project on its ports, so nothing else may listen
 *  there. */
const packageSuite = ({ name, project, args, prepare, postgisIn }: Package): Suite => ({
  onNodes: true,
  upstream: UPSTREAM,
  run: async (checkout, options) => {
    const folder = join(checkout, 'packages/core', name)
    const own = join(folder, project)
    const workdir =
      postgisIn !== undefined && (options.nodes !== null || !hasPostgis) ? await withoutPostgis(own, postgisIn) : own
    if (prepare && !existsSync(join(workdir, 'supabase', prepare.writes)))
      await runTool(folder, process.execPath, [prepare.script])
    const { only } = options
    const stack = await startTarget({ workdir, onOwnPorts: true }, options)
    try {
      return await runJavascript({ folder, runner: 'jest', args: ['--runInBand', ...(only ? [only] : []), ...args] })
    } finally {
      await stack.stop()
    }
  },
})

/** From the native engine's package or a PostgreSQL on this machine. */
const hasPostgis = (await provideInstallation(DEFAULT_MAJOR, () => undefined)).extensions.has('postgis')

/** Copies a project for a PostgreSQL without PostGIS, with its geometry as text. */
async function withoutPostgis(project: string, migration: string): Promise<string> {
  const copy = makeTemporaryFolder('conformance')
  await cp(join(project, 'supabase'), join(copy, 'supabase'), { recursive: true })
  const file = join(copy, 'supabase/migrations', migration)
  const text = await readFile(file, 'utf8')
  await writeFile(
    file,
    text
      .replace('create extension if not exists postgis schema extensions;', '')
      .replace('extensions.geometry(POINT, 4326)', 'text'),
  )
  return copy
}

export const postgrestJs = packageSuite({
  name: 'postgrest-js',
  postgisIn: '00000000000000_schema.sql',
  project: 'test',
  args: ['--testPathIgnorePatterns', 'test/v12/'],
})
export const authJs = packageSuite({
  name: 'auth-js',
  project: 'test',
  args: ['--config', 'jest.config.cli.js'],
  prepare: { script: 'test/generate-signing-keys.js', writes: 'signing_keys.json' },
})
export const storageJs = packageSuite({ name: 'storage-js', project: 'test', args: [] })
export const supabaseJs = packageSuite({
  name: 'supabase-js',
  project: '.',
  args: [
    ...['--testPathPatterns', 'test/integration.test.ts'],
    // Reads the other packages from their sources, so none has to be built; types of builds are missing.
    ...['--moduleNameMapper', JSON.stringify(SOURCES), '--globals', '{"ts-jest":{"diagnostics":false}}'],
  ],
})
