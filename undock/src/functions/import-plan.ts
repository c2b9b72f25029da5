import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import type { FunctionSpec } from './catalogue.ts'
import { parseJsonc } from './jsonc.ts'
import { twinOf, twinsBelow } from './npm-twins.ts'
import { packageImports } from './package-imports.ts'

type Imports = Readonly<Record<string, string>>
/** The import map and what else a deno.json says of how to run. */
export type DenoConfig = {
  readonly imports: Imports
  readonly scopes: Readonly<Record<string, Imports>>
  readonly compilerOptions?: unknown
}

/** Functions that can run in one Deno process, and its settings. */
export type Group = { readonly functions: readonly FunctionSpec[]; readonly config: DenoConfig }

/** What is wrong with a function's own settings; it cannot run, the others can. */
export type PlanFault = { readonly spec: FunctionSpec; readonly message: string }

export type Plan = { readonly groups: readonly Group[]; readonly faults: readonly PlanFault[] }

/** Sorts functions into as few Deno processes as their import maps allow: one process has one map, and code that
 *  functions share (`_shared`) resolves by it, so maps that give one name two meanings cannot be joined. */
export async function planImports(functions: readonly FunctionSpec[], folder: string): Promise<Plan> {
  const twins = await twinsBelow(folder)
  const groups: { functions: FunctionSpec[]; config: DenoConfig }[] = []
  const faults: PlanFault[] = []
  for (const one of functions) {
    const own = await readImportMap(one.importMap).catch((error: unknown) => {
      faults.push({ spec: one, message: error instanceof Error ? error.message : String(error) })
      return null
    })
    if (!own) continue
    const group = groups.find(({ config }) => agree(config, own))
    if (group) {
      group.functions.push(one)
      group.config = merge(group.config, own)
    } else {
      groups.push({ functions: [one], config: merge({ imports: twins, scopes: {} }, own) })
    }
  }
  return { groups, faults }
}

const ImportMap = z.object({
  imports: z.record(z.string(), z.string()).default({}),
  scopes: z.record(z.string(), z.record(z.string(), z.string())).default({}),
  /** A deno.json may keep its map in a file of its own. */
  importMap: z.string().optional(),
  compilerOptions: z.unknown().optional(),
})

/** @throws with the file's name when it is not a usable deno.json or import map. */
async function readImportMap(path: string): Promise<DenoConfig> {
  if (path === '') return { imports: {}, scopes: {} }
  const text = await readFile(path, 'utf8')
  if (basename(path) === 'package.json')
    return { imports: absolute(packageImports(readJson(text, path), path), pathToFileURL(path)), scopes: {} }
  const parsed = ImportMap.safeParse(readJson(text, path))
  if (!parsed.success) throw new Error(`${path}: ${z.prettifyError(parsed.error)}`)
  const { imports, scopes, importMap, compilerOptions } = parsed.data
  const linked = importMap ? await readImportMap(join(dirname(path), importMap)) : { imports: {}, scopes: {} }
  const base = pathToFileURL(path)
  return {
    imports: { ...linked.imports, ...absolute(imports, base) },
    scopes: {
      ...linked.scopes,
      ...Object.fromEntries(
        Object.entries(scopes).map(([scope, map]) => [absoluteAddress(scope, base), absolute(map, base)]),
      ),
    },
    ...(compilerOptions !== undefined && { compilerOptions }),
  }
}

function readJson(text: string, path: string): unknown {
  try {
    return parseJsonc(text)
  } catch (error) {
    throw new Error(`${path}: ${error instanceof Error ? error.message : error}`, { cause: error })
  }
}

/** Addresses that are relative to their file become absolute, for the joined map lies elsewhere. */
function absolute(imports: Imports, base: URL): Imports {
  const entries = Object.entries(imports).map(([name, address]): [string, string] => [
    /^\.{0,2}\//.test(name) ? absoluteAddress(name, base) : name,
    twinOf(address) ?? absoluteAddress(address, base),
  ])
  return { ...withSubpaths(entries), ...Object.fromEntries(entries) }
}

/** A deno.json's name for a package stands for the package's parts as well: `hono` for `hono/cors`. */
const withSubpaths = (entries: readonly (readonly [string, string])[]): Imports =>
  Object.fromEntries(
    entries.flatMap(([name, address]) => {
      const [, scheme, target] = /^(npm|jsr):\/?((?:@[^/]+\/)?[^/]+)$/.exec(address) ?? []
      return scheme && !name.endsWith('/') ? [[`${name}/`, `${scheme}:/${target}/`]] : []
    }),
  )

const absoluteAddress = (address: string, base: URL): string =>
  /^\.{0,2}\//.test(address) ? new URL(address, base).href : address

const agree = (one: DenoConfig, other: DenoConfig): boolean =>
  Object.entries(other.imports).every(([name, address]) => (one.imports[name] ?? address) === address) &&
  Object.entries(other.scopes).every(([scope, map]) =>
    Object.entries(map).every(([name, address]) => (one.scopes[scope]?.[name] ?? address) === address),
  ) &&
  JSON.stringify(one.compilerOptions) === JSON.stringify(other.compilerOptions)

function merge(one: DenoConfig, other: DenoConfig): DenoConfig {
  const scopes: Record<string, Imports> = { ...one.scopes }
  for (const [scope, map] of Object.entries(other.scopes)) scopes[scope] = { ...scopes[scope], ...map }
  const compilerOptions = one.compilerOptions ?? other.compilerOptions
  return {
    imports: { ...one.imports, ...other.imports },
    scopes,
    ...(compilerOptions !== undefined && { compilerOptions }),
  }
}
