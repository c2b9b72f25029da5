import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Config } from '../config/config.ts'
import { ownDenoJson } from '../config/paths.ts'

export type FunctionSpec = {
  readonly name: string
  readonly entrypoint: string
  /** Absolute path of an import map, deno.json or package.json; empty if the function has none. */
  readonly importMap: string
  readonly verifyJwt: boolean
  readonly staticFiles: readonly string[]
}

/** Function names the Supabase CLI accepts. */
export const NAME = /^[A-Za-z][A-Za-z0-9_-]*$/

/** Lists the project's functions: folders with an entrypoint, plus config.toml's settings. */
export async function findFunctions(folder: string, config: Config['functions']): Promise<FunctionSpec[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const folders = entries
    .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && NAME.test(entry.name))
    .map((entry) => entry.name)
  const names = [...new Set([...folders, ...Object.keys(config)])].sort()
  return names.flatMap((name) => {
    const settings = Object.hasOwn(config, name) ? config[name] : undefined
    if (settings?.enabled === false) return []
    const entrypoint = settings?.entrypoint || join(folder, name, 'index.ts')
    if (!existsSync(entrypoint)) return []
    const importMap = settings?.import_map || findImportMap(dirname(entrypoint), folder)
    const staticFiles = settings?.static_files ?? []
    return [{ name, entrypoint, importMap, verifyJwt: settings?.verify_jwt ?? true, staticFiles }]
  })
}

/** Returns whether an unknown name is worth rereading the folder for. */
export const mayExist = (folder: string, name: string): boolean => NAME.test(name) && existsSync(join(folder, name))

/** Finds the function's deno.json, else the shared import map of older projects, else its package.json, else a
 *  deno.json in a parent folder, where Deno itself would look. */
function findImportMap(own: string, functions: string): string {
  return (
    ownDenoJson(own) ||
    existing(join(functions, 'import_map.json')) ||
    existing(join(own, 'package.json')) ||
    ownDenoJson(functions) ||
    ownDenoJson(dirname(functions))
  )
}

const existing = (path: string): string => (existsSync(path) ? path : '')
