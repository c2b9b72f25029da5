import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Config } from '../config/config.ts'
import { ownDenoJson } from '../config/paths.ts'

export type FunctionSpec = {
  readonly name: string
  /** Absolute. */
  readonly entrypoint: string
  /** Absolute: an import map, a deno.json or a package.json; empty when the function has none. */
  readonly importMap: string
  readonly verifyJwt: boolean
  /** Absolute glob patterns of files that the function reads; a change of one reloads the function. */
  readonly staticFiles: readonly string[]
}

/** Names that the Supabase CLI accepts for functions: letters, digits, dashes and underscores after a letter. */
export const NAME = /^[A-Za-z][A-Za-z0-9_-]*$/

/** Lists the project's functions: the folders that contain an entrypoint, and the settings of config.toml. */
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

/** Whether it can be worth reading the folder again for a name that was unknown. */
export const mayExist = (folder: string, name: string): boolean => NAME.test(name) && existsSync(join(folder, name))

/** The function's own deno.json; otherwise the shared import map of older projects; otherwise the function's
 *  package.json; otherwise a deno.json in a parent folder, where Deno itself would find it. */
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
