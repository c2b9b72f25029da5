import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import { parseJsonc } from '../config/jsonc.ts'
import type { FunctionSpec } from './catalogue.ts'
import { npmImportMap, npmImportMapOf, npmSpecifierOf, packageImports, readSources } from './npm-import-map.ts'
import { workspaceImports } from './workspace.ts'

/** Reads npm settings for a function: its own `.npmrc`, then those of `functions/`, `supabase/` and the user.
 *  @param folder The functions' folder.
 *  @param env Values for `${NAME}`.
 *  @returns the lines of one `.npmrc`; empty if no file has any. */
export async function npmSettings(
  folder: string,
  name: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const places = [homedir(), dirname(folder), folder, join(folder, name)]
  const values = new Map<string, string>()
  for (const place of places) {
    const text = await readFile(join(place, '.npmrc'), 'utf8').catch(() => '')
    for (const line of text.split(/\r?\n/)) {
      const [, key, value] = /^\s*([^#;=\s][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? []
      // Like npm, leave unset variables unexpanded.
      if (key !== undefined && value !== undefined)
        values.set(
          key,
          value.replaceAll(/\$\{(\w+)\}/g, (whole, variable: string) => env[variable] ?? whole),
        )
    }
  }
  return [...values].map(([key, value]) => `${key}=${value}\n`).join('')
}

type Imports = Readonly<Record<string, string>>
/** A deno.json's import map and other runtime settings. */
export type DenoConfig = {
  readonly imports: Imports
  readonly scopes: Readonly<Record<string, Imports>>
  readonly compilerOptions?: unknown
  /** The `.npmrc` for downloading packages. */
  readonly npmrc?: string
}

/** An error in one function's settings; the others still run. */
type PlanFault = { readonly spec: FunctionSpec; readonly message: string }

export type Plan = {
  readonly configs: ReadonlyMap<FunctionSpec, DenoConfig>
  readonly faults: readonly PlanFault[]
  /** The root of the repository's workspace, if any. */
  readonly root: string | null
}

/** Plans each function's imports: workspace packages, npm packages in place of other hosts, and its own import map. */
export async function planImports(
  functions: readonly FunctionSpec[],
  folder: string,
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<Plan> {
  const sources = await readSources(folder)
  const { root, ...workspace } = await workspaceImports(folder)
  const base = { ...workspace, imports: { ...workspace.imports, ...npmImportMap(sources) } }
  const configs = new Map<FunctionSpec, DenoConfig>()
  const faults: PlanFault[] = []
  for (const one of functions) {
    try {
      const read = await readImportMap(one.importMap)
      // A function's folder may be a workspace itself.
      const near = await workspaceImports(dirname(one.entrypoint))
      configs.set(one, {
        ...read,
        imports: { ...base.imports, ...near.imports, ...npmImportMapOf(sources, read.imports), ...read.imports },
        scopes: { ...base.scopes, ...near.scopes, ...read.scopes },
        npmrc: await npmSettings(folder, one.name, env),
      })
    } catch (error) {
      faults.push({ spec: one, message: error instanceof Error ? error.message : String(error) })
    }
  }
  return { configs, faults, root }
}

/** The npm package in place of another host's, if there is one. */
const npmInstead = (address: string): string => npmSpecifierOf(address) ?? address

const ImportMap = z.object({
  imports: z.record(z.string(), z.string()).default({}),
  scopes: z.record(z.string(), z.record(z.string(), z.string())).default({}),
  /** A deno.json can refer to a separate import map. */
  importMap: z.string().optional(),
  compilerOptions: z.looseObject({ jsxImportSource: z.string().transform(npmInstead).exactOptional() }).optional(),
})

/** @throws naming the file if it isn't a usable deno.json or import map. */
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

/** Resolves relative addresses, because the merged map is in another folder. */
function absolute(imports: Imports, base: URL): Imports {
  const entries = Object.entries(imports).map(([name, address]): [string, string] => [
    /^\.{0,2}\//.test(name) ? absoluteAddress(name, base) : name,
    absoluteAddress(npmInstead(address), base),
  ])
  return { ...withSubpaths(entries), ...Object.fromEntries(entries) }
}

/** A package name in a deno.json covers its subpaths: `hono` covers `hono/cors`. */
const withSubpaths = (entries: readonly (readonly [string, string])[]): Imports =>
  Object.fromEntries(
    entries.flatMap(([name, address]) => {
      const [, scheme, target] = /^(npm|jsr):\/?((?:@[^/]+\/)?[^/]+)$/.exec(address) ?? []
      return scheme && !name.endsWith('/') ? [[`${name}/`, `${scheme}:/${target}/`]] : []
    }),
  )

const absoluteAddress = (address: string, base: URL): string =>
  /^\.{0,2}\//.test(address) ? new URL(address, base).href : address
