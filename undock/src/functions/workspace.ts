import { existsSync } from 'node:fs'
import { glob, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parse as parseYaml } from 'yaml'
import { z } from 'zod'
import { parseJsonc } from '../config/jsonc.ts'
import { packageImports } from './npm-import-map.ts'

type Imports = Readonly<Record<string, string>>

/** Returns an import map of the surrounding repository's packages, with their exports and dependencies. Supports npm,
 *  pnpm, Yarn and Deno workspaces.
 *  @param folder The functions' folder. */
export async function workspaceImports(folder: string): Promise<{
  readonly imports: Imports
  readonly scopes: Readonly<Record<string, Imports>>
  readonly root: string | null
}> {
  const workspace = await findWorkspace(folder)
  const imports: Record<string, string> = {}
  const scopes: Record<string, Imports> = {}
  for (const member of workspace ? await membersOf(workspace) : []) {
    const base = pathToFileURL(`${member}/`)
    const manifest = await readManifest(member)
    if (!manifest?.name) continue
    const { name, dependencies } = manifest
    imports[`${name}/`] = base.href
    for (const [path, file] of Object.entries(await exportsOf(member, manifest)))
      imports[path === '.' ? name : `${name}/${path.replace(/^\.\//, '')}`] = new URL(file, base).href
    const pinned = Object.entries(dependencies).map(([one, range]) => {
      const [, catalog] = /^catalog:(.*)$/.exec(range) ?? []
      return [one, catalog === undefined ? range : (workspace?.catalogs[catalog || 'default']?.[one] ?? '*')]
    })
    scopes[base.href] = packageImports({ dependencies: Object.fromEntries(pinned) }, join(member, 'package.json'))
  }
  return { imports, scopes, root: workspace?.root ?? null }
}

/** @property catalogs Ranges by catalog name; the unnamed catalog is `default`. */
type Workspace = {
  readonly root: string
  readonly patterns: readonly string[]
  readonly catalogs: Readonly<Record<string, Imports>>
}

const List = z.array(z.string())
const Root = z.object({
  workspace: z.union([List, z.object({ members: List }).transform(({ members }) => members)]).optional(),
  workspaces: z.union([List, z.object({ packages: List }).transform(({ packages }) => packages)]).optional(),
})

const Ranges = z.record(z.string(), z.string()).default({})
const Pnpm = z.object({
  packages: List.default([]),
  catalog: Ranges,
  catalogs: z.record(z.string(), Ranges).default({}),
})

/** The nearest workspace around a folder, within its repository. */
async function findWorkspace(folder: string): Promise<Workspace | null> {
  for (let root = folder; ; root = dirname(root)) {
    const pnpm = Pnpm.safeParse(await readFileAs(parseYaml, join(root, 'pnpm-workspace.yaml')))
    if (pnpm.success) {
      const { packages, catalog, catalogs } = pnpm.data
      return { root, patterns: packages, catalogs: { ...catalogs, default: { ...catalogs.default, ...catalog } } }
    }
    for (const name of ['deno.json', 'deno.jsonc', 'package.json']) {
      const { data } = Root.safeParse(await readFileAs(parseJsonc, join(root, name)))
      const patterns = data?.workspace ?? data?.workspaces
      if (patterns) return { root, patterns, catalogs: {} }
    }
    // What was deployed to `undock hosted`, in a state folder, has no code around it.
    if (existsSync(join(root, '.git')) || basename(root) === '.undock' || root === dirname(root)) return null
  }
}

async function membersOf({ root, patterns }: Workspace): Promise<string[]> {
  const wanted = patterns.filter((pattern) => !pattern.startsWith('!')).map((pattern) => pattern.replace(/\/+$/, ''))
  const found = await Array.fromAsync(glob(wanted, { cwd: root, exclude: (name) => name === 'node_modules' }))
  return found.map((path) => join(root, path)).sort()
}

/** Returns the folders, and files, with the keys and data of all projects below a folder, whether they exist yet or not. */
export async function stateFolders(root: string): Promise<string[]> {
  const exclude = (path: string) => ['node_modules', '.git', '.undock'].includes(basename(path))
  const projects = await Array.fromAsync(glob(['**/supabase', '**/.*/**/supabase'], { cwd: root, exclude }))
  // `undock hosted` keeps the token of its Management API next to what was deployed.
  const tokens = basename(dirname(root)) === '.undock' ? ['deployed.json', 'env.sh'] : []
  return [...projects.map((path) => join(root, path, '.undock')), ...tokens.map((name) => join(root, name))]
}

type Exports = string | null | { readonly [key: string]: Exports }
const Exports: z.ZodType<Exports> = z.lazy(() => z.union([z.string(), z.null(), z.record(z.string(), Exports)]))
const Manifest = z.object({
  name: z.string().optional(),
  exports: Exports.optional().catch(undefined),
  module: z.string().optional(),
  main: z.string().optional(),
  dependencies: z.record(z.string(), z.string()).default({}),
})
type Manifest = z.infer<typeof Manifest>

async function readManifest(folder: string): Promise<Manifest | null> {
  for (const name of ['deno.json', 'deno.jsonc', 'package.json']) {
    const { data } = Manifest.safeParse(await readFileAs(parseJsonc, join(folder, name)))
    if (data?.name) return data
  }
  return null
}

/** Null for a missing or invalid file. */
const readFileAs = (parse: (text: string) => unknown, path: string): Promise<unknown> =>
  readFile(path, 'utf8')
    .then(parse)
    .catch(() => null)

/** Where unbuilt packages have their source. */
const SOURCES = ['./src/index.ts', './src/mod.ts', './index.ts', './mod.ts', './src/index.js', './index.js']

/** A package's existing files by export name. */
async function exportsOf(folder: string, { exports, module, main }: Manifest): Promise<Record<string, string>> {
  const entries =
    typeof exports === 'object' && exports !== null && Object.keys(exports).some((key) => key.startsWith('.'))
      ? Object.entries(exports)
      : [['.', exports ?? null] as const]
  const found = entries.flatMap(([path, target]) => {
    const candidates = [...filesOf(target), ...(path === '.' ? [module, main, ...SOURCES] : [])]
    const file = candidates.find((one) => one !== undefined && existsSync(join(folder, one)))
    return file === undefined || path.includes('*') ? [] : [[path, file]]
  })
  return Object.fromEntries(found)
}

/** Export conditions for functions, in order of preference. */
const CONDITIONS = ['deno', 'import', 'module', 'default', 'types']

const filesOf = (target: Exports): string[] => {
  if (target === null) return []
  if (typeof target === 'string') return [target]
  return CONDITIONS.flatMap((condition) => filesOf(target[condition] ?? null))
}
