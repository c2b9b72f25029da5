import { glob, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { startWholeStack } from '../../src/test-kit/whole-stack.ts'
import { makeProject } from '../support/project.ts'
import { applyTo, type Constructed, Interpreter, perform } from './haskell/evaluate.ts'
import { parseModule } from './haskell/parse.ts'
import type { Module } from './haskell/syntax.ts'
import { type Case, Group, Results } from './postgrest/cases.ts'
import { createHttpClient } from './postgrest/client.ts'
import { loadFixtures } from './postgrest/fixtures.ts'
import { createLibrary } from './postgrest/library.ts'
import { DatabaseSettings } from './postgrest/settings.ts'
import type { Found, FoundCase, Suite, SuiteOptions } from './suite.ts'

/** PostgREST's own specs, run against the Data API of a stack. */
export const postgrest: Suite = {
  upstream: { repository: 'PostgREST/postgrest', tag: 'v16.2' },
  onNodes: false,
  run: runSpecs,
}

async function runSpecs(checkout: string, { only }: SuiteOptions): Promise<Found> {
  const folder = join(checkout, 'test/spec')
  const project = await makeProject({ 'config.toml': 'project_id = "conformance"\n[api]\nmax_rows = 0' })
  const stack = await startWholeStack({
    workdir: project.folder,
    engine: 'native',
    exclude: ['auth', 'storage', 'realtime', 'functions'],
  })
  const client = createHttpClient(`${stack.url}/rest/v1`)
  try {
    const missing = await loadFixtures(stack.db, folder)
    const databaseSettings = new DatabaseSettings(stack.db, client)
    const [version] = await stack.query<{ number: string }>(`select current_setting('server_version_num') as number`)
    const library = createLibrary(folder, Math.floor(Number(version?.number) / 10_000))
    const helpers = await readModule(join(folder, 'SpecHelper.hs'))
    const results = new Results()
    const prepare = async (settings: Constructed) => {
      await databaseSettings.apply(settings)
      return client
    }
    for (const path of await specPaths(folder, only)) {
      const name = relative(join(folder, 'Feature'), path).replace(/Spec\.hs$/, '')
      const group = new Group<Constructed>([name], null, { results, prepare })
      await runModule(await readModule(path), new Interpreter(library, [await readModule(path), helpers]), group)
    }
    return {
      cases: results.cases.map((one) => toFound(one, missing)),
      unread: results.untranslated.map(({ place, reason }) => ({ place: place.join(' › '), reason })),
    }
  } finally {
    client.close()
    await stack.stop()
    await project.remove()
  }
}

/** The specs in the order of PostgREST's own runner. */
async function specPaths(folder: string, only: string): Promise<string[]> {
  const main = await readFile(join(folder, 'Main.hs'), 'utf8')
  const place = (path: string): number =>
    main.lastIndexOf(relative(folder, path).replace(/\.hs$/, '').replaceAll(sep, '.'))
  const paths = await Array.fromAsync(glob(join(folder, 'Feature/**/*Spec.hs')))
  return paths.filter((path) => path.includes(only)).sort((one, other) => place(one) - place(other))
}

const readModule = async (path: string): Promise<Module> => parseModule(await readFile(path, 'utf8'))

/** Runs every specification in a module, found by its type, which also determines its arguments. */
async function runModule(module: Module, interpreter: Interpreter, group: Group<Constructed>): Promise<void> {
  for (const reason of module.unread) group.results.untranslated.push({ place: group.place, reason })
  const defined = new Set(module.bindings.map(({ name }) => name))
  const specifications = [...module.signatures].filter(
    ([name, type]) => type.endsWith('SpecWithConfig') && defined.has(name),
  )
  if (specifications.length === 0)
    group.results.untranslated.push({ place: group.place, reason: 'it defines no specification' })
  for (const [name, type] of specifications) {
    const parameters = type.startsWith('PgVersion') ? ['actualPgVersion', 'withConfig'] : ['withConfig']
    const specification = parameters.reduce(
      (callee, parameter) => applyTo(callee, interpreter.lookup(parameter)),
      interpreter.lookup(name),
    )
    await perform(specification, group)
  }
}

function toFound({ place, request, misses }: Case, missing: ReadonlySet<string>): FoundCase {
  const [group = '', ...names] = place
  const miss = misses.length === 0 ? null : misses.join('; ')
  const isAbout = (name: string): boolean => new RegExp(`\\b${name}\\b`, 'i').test(`${group} ${request.path} ${miss}`)
  return {
    group,
    name: `${names.join(' › ')} (${request.method} ${request.path})`,
    miss,
    leftOut: miss !== null && [...missing].some(isAbout) ? 'they need an extension that the engine lacks' : null,
  }
}
