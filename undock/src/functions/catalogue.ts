import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { ownDenoJson } from '../config/paths.ts'

export type FunctionSpec = {
  readonly name: string
  /** Absolute. */
  readonly entrypoint: string
  /** Absolute; empty when the function has none. */
  readonly importMap: string
  readonly verifyJwt: boolean
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
    const importMap = settings?.import_map || ownDenoJson(join(folder, name)) || sharedImportMap(folder)
    return [{ name, entrypoint, importMap, verifyJwt: settings?.verify_jwt ?? true }]
  })
}

/** Whether looking again can be worth it for a name that was not there before. */
export const mayExist = (folder: string, name: string): boolean => NAME.test(name) && existsSync(join(folder, name))

/** The import map that older projects keep for all of their functions. */
function sharedImportMap(folder: string): string {
  const path = join(folder, 'import_map.json')
  return existsSync(path) ? path : ''
}
