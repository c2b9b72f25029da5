import { existsSync, readFileSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { convertToml, SCHEMA_ADDRESS } from '../config/convert-toml.ts'
import { ConfigError, renderFault } from '../config/fault.ts'
import { setJsonValues } from '../config/jsonc.ts'
import { findConfigFile, readProjectConfig } from '../config/project.ts'
import { parseTables } from '../config/read-toml.ts'
import { versionWarnings } from '../runtime/place/pinned-versions.ts'
import { type BackendOptions, findWorkdir, UsageError } from './arguments.ts'

type ConfigValidateOptions = Pick<BackendOptions, 'workdir'> & { readonly output: 'pretty' | 'json' }

/** `undock config validate`: checks a project's settings like `undock start`, and prints their errors. @returns 1 if a start would refuse
 *  them, regardless of warnings. */
export function configValidate({ output, ...options }: ConfigValidateOptions): number {
  const workdir = findWorkdir(options.workdir)
  const { faults, warnings } = check(workdir)
  if (output === 'json') console.log(JSON.stringify({ faults, warnings }, null, 2))
  else {
    for (const fault of faults) console.log(renderFault(fault))
    for (const warning of warnings) console.log(`warning: ${renderFault(warning)}`)
    if (faults.length === 0) console.error('The settings are valid.')
  }
  return faults.length > 0 ? 1 : 0
}

function check(workdir: string) {
  try {
    const { warnings, config } = readProjectConfig(workdir)
    return { faults: [], warnings: [...warnings, ...versionWarnings(workdir, config.db.major_version)] }
  } catch (error) {
    if (error instanceof ConfigError) return { faults: error.faults, warnings: [] }
    throw error
  }
}

/** `undock config convert`: writes config.toml as config.jsonc with its comments, and keeps the original as config.toml.bak.
 *  @see the CLI's guide "Config file formats"
 *  @throws {UsageError} if there is no config.toml, or its JSON would mean something else. */
export async function configConvert(options: Pick<BackendOptions, 'workdir'>): Promise<number> {
  const workdir = findWorkdir(options.workdir)
  const [toml, jsonc] = ['config.toml', 'config.jsonc'].map((name) => join(workdir, 'supabase', name)) as [
    string,
    string,
  ]
  const name = findConfigFile(join(workdir, 'supabase'))
  if (name === null) throw new UsageError('There is no supabase/config.toml to convert.')
  if (name !== 'config.toml') throw new UsageError(`The project already uses supabase/${name}.`)
  const text = readFileSync(toml, 'utf8')
  const tables = parseTables(text, 'supabase/config.toml')
  const converted = convertToml(text, tables)
  const { $schema: _schema, ...found } = parseTables(converted, 'supabase/config.jsonc')
  if (!isDeepStrictEqual(plain(found), plain(tables)))
    throw new UsageError('supabase/config.toml has values that JSON cannot express. Nothing was written.')
  await writeFile(jsonc, converted, { flag: 'wx' })
  await rename(toml, `${toml}.bak`)
  console.log('Wrote supabase/config.jsonc. The original is supabase/config.toml.bak.')
  const editor = join(workdir, '.vscode', 'settings.json')
  if (existsSync(editor)) {
    const domain = `${new URL(SCHEMA_ADDRESS).origin}/`
    const settings = setJsonValues(readFileSync(editor, 'utf8'), ['json.schemaDownload.trustedDomains'], {
      [domain]: true,
    })
    if (settings === null) return 0
    await writeFile(editor, settings)
    console.log('Added the schema to the trusted domains in .vscode/settings.json')
  }
  return 0
}

/** Removes prototypes, in which the parsers differ, and converts numbers that JSON can't represent to text. */
const plain = (tables: object): unknown =>
  JSON.parse(
    JSON.stringify(tables, (_key, value) =>
      Number.isFinite(value) || typeof value !== 'number' ? value : String(value),
    ),
  )
