// `npm run test:functions`: type-checks and tests the edge functions, each of which has its own import map.
import { glob, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { run, tool } from './processes.ts'

const FUNCTIONS = 'supabase/functions'
const Settings = z.object({ imports: z.record(z.string(), z.string()) })

/** Merges all functions' imports. @throws if two functions import different versions of a package. */
async function allImports(): Promise<Record<string, string>> {
  const all: Record<string, string> = {}
  for await (const file of glob(`${FUNCTIONS}/*/deno.json`)) {
    const { imports } = Settings.parse(JSON.parse(await readFile(file, 'utf8')))
    for (const [name, target] of Object.entries(imports)) {
      if ((all[name] ?? target) !== target) throw new Error(`${file} imports ${target}, another function ${all[name]}.`)
      all[name] = target
    }
  }
  return all
}

/** Collects the package specifiers imported by a module and its dependencies. */
async function packagesOf(from: string, read = new Set<string>()): Promise<ReadonlySet<string>> {
  const packages = new Set<string>()
  if (read.has(from)) return packages
  read.add(from)
  for (const [, specifier = ''] of (await readFile(from, 'utf8')).matchAll(
    /(?<!\.)(?:from |import |import\()'([^']+)'/g,
  ))
    if (!specifier.startsWith('.')) packages.add(specifier)
    else for (const one of await packagesOf(join(dirname(from), specifier), read)) packages.add(one)
  return packages
}

/** A function is deployed with its own deno.json only, which has to list everything it uses.
 *  @throws if an import is missing. */
async function checkOwnImports(): Promise<void> {
  for await (const file of glob(`${FUNCTIONS}/*/deno.json`)) {
    const { imports } = Settings.parse(JSON.parse(await readFile(file, 'utf8')))
    const isNamed = (used: string): boolean => Object.keys(imports).some((name) => `${used}/`.startsWith(`${name}/`))
    for (const used of await packagesOf(join(dirname(file), 'index.ts')))
      if (!/^(?:npm|node):/.test(used) && !isNamed(used)) throw new Error(`${file} lacks ${used}.`)
  }
}

const folder = await mkdtemp(join(tmpdir(), 'carrel-functions-'))
const map = join(folder, 'imports.json')
try {
  await checkOwnImports()
  await writeFile(map, JSON.stringify({ imports: await allImports() }))
  const given = process.argv.slice(2)
  const deno = (...args: string[]) =>
    // With the machine's certificates, like undock's functions.
    run(tool('deno'), args, { DENO_TLS_CA_STORE: 'system,mozilla', ...process.env })
  const settings = ['--quiet', '--no-config', `--import-map=${map}`]
  // Not every entry point is imported by a test.
  const entryPoints = given.length > 0 ? [] : await Array.fromAsync(glob(`${FUNCTIONS}/*/index.ts`))
  const checked = entryPoints.length > 0 ? await deno('check', ...settings, ...entryPoints) : 0
  const tested = await deno('test', '--allow-all', ...settings, ...(given.length > 0 ? given : [FUNCTIONS]))
  process.exitCode = checked || tested
} finally {
  await rm(folder, { recursive: true })
}
