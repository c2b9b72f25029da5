import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { runJavascript, runTool } from './javascript.ts'
import type { Suite } from './suite.ts'
import { startTarget } from './target.ts'

const UPSTREAM = { repository: 'supabase/supabase-js', tag: 'v2.112.2', packages: '.' }

const SOURCES = {
  '^@supabase/(auth|functions|postgrest|realtime|storage)-js$': '<rootDir>/../$1-js/src',
  '^@supabase/tracing$': '<rootDir>/../../shared/tracing/src',
}

type Package = {
  /** False unless given. */
  readonly needsPostgis?: boolean
  readonly name: string
  /** The folder with `supabase/`, relative to the package. */
  readonly project: string
  readonly args: readonly string[]
  /** A script of the package that its tests need to have run, and the file that it writes into the project. */
  readonly prepare?: { readonly script: string; readonly writes: string }
}

/** The tests of a client library. They ask for `supabase start` in a project of their own, on its ports, so nothing else
 *  may listen there. */
const packageSuite = ({ name, project, args, prepare, needsPostgis = false }: Package): Suite => ({
  onNodes: !needsPostgis,
  // The native engine lacks it.
  ...(needsPostgis && { engine: 'pglite' as const }),
  upstream: UPSTREAM,
  run: async (checkout, options) => {
    const folder = join(checkout, 'packages/core', name)
    const workdir = join(folder, project)
    if (prepare && !existsSync(join(workdir, 'supabase', prepare.writes)))
      await runTool(folder, process.execPath, [prepare.script])
    const { only } = options
    const stack = await startTarget({ workdir, onOwnPorts: true }, options)
    try {
      return await runJavascript({ folder, runner: 'jest', args: ['--runInBand', ...args, ...(only ? [only] : [])] })
    } finally {
      await stack.stop()
    }
  },
})

export const postgrestJs = packageSuite({
  name: 'postgrest-js',
  needsPostgis: true,
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
    // The other packages are read from their sources, so that none has to be built; the types of the builds are missing.
    ...['--moduleNameMapper', JSON.stringify(SOURCES), '--globals', '{"ts-jest":{"diagnostics":false}}'],
  ],
})
