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
  /** Absolute patterns of files that the function reads; a change of one reloads it. */
  readonly staticFiles: readonly string[]
}

/** What the CLI takes for a function's name: letters, digits, dashes and underscores after a letter. */
const NAME = /^[A-Za-z][A-Za-z0-9_-]*$/

/** Every function of the project: the folders that hold an entrypoint, and what config.toml says of them. */
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

/** Whether looking again can be worth it for a name that was not there before. */
export const mayExist = (folder: string, name: string): boolean => NAME.test(name) && existsSync(join(folder, name))

/** A function's own deno.json; else the import map that older projects keep for all of their functions; else its
 *  package.json; else a deno.json further up, as Deno itself would find it. */
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
