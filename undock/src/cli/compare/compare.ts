import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import { parseEnvFile } from '../../config/env.ts'
import { readProjectConfig } from '../../config/project.ts'
import { valueAt } from '../../config/values.ts'
import { findFunctions } from '../../functions/catalogue.ts'
import { type BackendOptions, findWorkdir, UsageError } from '../arguments.ts'
import { withClient } from '../database-target.ts'
import { AUTH_FIELDS, DATA_API_FIELDS, type Field, fromHosted, isSecret, STORAGE_FIELDS } from '../hosted/fields.ts'
import { checkedRef } from '../hosted/hosted.ts'
import { tableOf } from '../report.ts'
import { findDatabase } from '../running.ts'
import { ANSWERS, HostedError, type HostedProject, openHostedProject, type Rows } from './management-api.ts'

type Values = ReadonlyMap<string, string>

/** A local and a hosted setting. @property there Undefined if the platform doesn't return it. */
type Pair = readonly [key: string, here: unknown, there: unknown]
type Sides = { readonly here: Values; readonly there: Values }

/** Compares lists regardless of order. */
const written = (value: unknown): string =>
  Array.isArray(value)
    ? value
        .map((one) => String(one).trim())
        .filter(Boolean)
        .toSorted()
        .join(', ')
    : String(value)

const sides = (pairs: readonly Pair[]): Sides => {
  const comparable = pairs.filter(([, , there]) => there !== undefined && there !== null)
  return {
    here: new Map(comparable.map(([key, here]) => [key, written(here)])),
    there: new Map(comparable.map(([key, , there]) => [key, written(there)])),
  }
}

/** Pairs the settings in config.toml, except secrets: the platform returns only their hashes. */
function pairsOf(fields: readonly Field[], config: Config, answer: unknown): Pair[] {
  return fields.flatMap((field): Pair[] => {
    const { name, key, form } = field
    if (key === undefined || isSecret(field)) return []
    const there = valueAt(answer, name.split('.'))
    // A missing provider or hook is off.
    const here = valueAt(config, key.split('.')) ?? (typeof there === 'boolean' ? false : undefined)
    if (here === undefined) return []
    // The platform counts sessions in hours.
    if (form === 'hours') return [[`${key} (hours)`, Number(here) / 3_600, there]]
    return [[key, here, form === 'seconds' ? there : fromHosted(field, there)]]
  })
}

/** @param path Of the platform's settings. */
const settingsAt = async (hosted: HostedProject, path: string, fields: readonly Field[], config: Config) =>
  sides(pairsOf(fields, config, await hosted.get(path, ANSWERS.settings)))

async function databaseSettings({ db }: Config, hosted: HostedProject): Promise<Sides> {
  const { database } = await hosted.get('', ANSWERS.project)
  return sides([['db.major_version', db.major_version, database.postgres_engine]])
}

/** The parts of two databases to compare: queries with the columns `name` and `value` (text). */
export const DATABASE_PARTS: Readonly<Record<string, string>> = {
  extensions: `
    select e.extname as name, 'in ' || n.nspname as value
    from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname <> 'plpgsql' order by 1`,
  buckets: `
    select id as name, concat_ws(', ', case when public then 'public' else 'private' end,
      'up to ' || file_size_limit || ' bytes', 'only ' || array_to_string(allowed_mime_types, ' ')) as value
    from storage.buckets order by 1`,
  'row security': `
    select n.nspname || '.' || c.relname as name, case when c.relrowsecurity then 'on' else 'off' end as value
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and n.nspname = 'public' order by 1`,
  policies: `
    select schemaname || '.' || tablename || ': ' || policyname as name,
      concat_ws(' ', lower(permissive), 'for', lower(cmd), 'to', array_to_string(roles, ', '),
        'using ' || qual, 'with check ' || with_check) as value
    from pg_policies where schemaname not in ('cron', 'net', 'pgsodium', 'vault') order by 1`,
  migrations: `select version as name, 'applied' as value from supabase_migrations.schema_migrations order by 1`,
}

export const valuesOf = (rows: Rows): Map<string, string> =>
  new Map(rows.map(({ name, value }) => [String(name), String(value)]))

type CompareOptions = BackendOptions & {
  readonly projectRef?: string
  readonly dbUrl?: string
  readonly api: string
  readonly output: 'pretty' | 'json'
  readonly exitCode: boolean
}

/** @property here Null if missing. */
type Difference = {
  readonly part: string
  readonly name: string
  readonly here: string | null
  readonly hosted: string | null
}

/** `undock compare`: prints how a hosted project differs from the local backend. Changes neither. @returns 1 if a part couldn't be read, or
 *  with `exitCode` if something differs. @throws {UsageError} if the project isn't linked or there's no access token. @throws {HostedError}
 *  if the platform returns nothing about it. */
export async function compare({ api, output, exitCode, ...options }: CompareOptions): Promise<number> {
  const workdir = findWorkdir(options.workdir)
  const hosted = await openHostedProject(api, await refOf(workdir, options.projectRef))
  const { config } = readProjectConfig(workdir)
  // Fails early on a refused token or a deleted project.
  await hosted.get('', ANSWERS.project)
  const database = await findDatabase(options)
  const differences: Difference[] = []
  let isWhole = true
  try {
    const local = (query: string): Promise<Rows> => readLocal(database.url, query)
    const remote = options.dbUrl === undefined ? hosted.query : (query: string) => readLocal(options.dbUrl ?? '', query)
    for (const [part, read] of partsOf(workdir, config, hosted, { local, remote })) {
      console.error(`Comparing ${part}`)
      try {
        differences.push(...differencesOf(part, await read()))
      } catch (error) {
        if (!(error instanceof HostedError)) throw error
        isWhole = false
        console.error(`  Couldn't compare ${part}: ${error.message}`)
      }
    }
  } finally {
    await database.close()
  }
  if (output === 'json') console.log(JSON.stringify(differences, null, 2))
  else if (differences.length > 0) {
    const rows = differences.map(({ part, name, here, hosted }) => [part, name, here ?? '-', hosted ?? '-'])
    console.log(tableOf([['PART', 'NAME', 'HERE', 'HOSTED'], ...rows]))
  } else if (isWhole) console.error('No differences found.')
  return !isWhole || (exitCode && differences.length > 0) ? 1 : 0
}

/** @throws {UsageError} */
async function refOf(workdir: string, named: string | undefined): Promise<string> {
  const linked = await readFile(join(workdir, 'supabase', '.temp', 'project-ref'), 'utf8').catch(() => '')
  const ref = named ?? linked.trim()
  if (ref !== '') return checkedRef(ref)
  throw new UsageError(
    'The project is not linked. Add --project-ref REF, or link it once with `npx supabase link --project-ref REF`.',
  )
}

type Databases = Readonly<Record<'local' | 'remote', (query: string) => Promise<Rows>>>

function partsOf(
  workdir: string,
  config: Config,
  hosted: HostedProject,
  { local, remote }: Databases,
): readonly (readonly [part: string, read: () => Promise<Sides>])[] {
  const withApi = config.api.enabled ? config : { ...config, api: { ...config.api, schemas: [] } }
  return [
    ['database settings', () => databaseSettings(config, hosted)],
    ['Data API settings', () => settingsAt(hosted, '/postgrest', DATA_API_FIELDS, withApi)],
    ['Auth settings', () => settingsAt(hosted, '/config/auth', AUTH_FIELDS, config)],
    ['Storage settings', () => settingsAt(hosted, '/config/storage', STORAGE_FIELDS, config)],
    ['keys', () => keys(hosted)],
    ['functions', () => functions(workdir, config, hosted)],
    ['secrets', () => secrets(workdir, config, hosted)],
    ...Object.entries(DATABASE_PARTS).map(
      ([part, query]) =>
        [part, async () => ({ here: valuesOf(await local(query)), there: valuesOf(await remote(query)) })] as const,
    ),
  ]
}

/** Local backends have both kinds of keys. */
async function keys(hosted: HostedProject): Promise<Sides> {
  const response = await hosted.get('/api-keys', ANSWERS.keys)
  const kindOf = (type: string | null | undefined): string =>
    type === 'publishable' || type === 'secret' ? `${type} key` : 'legacy anon and service_role keys'
  const here = ['publishable key', 'secret key', 'legacy anon and service_role keys']
  return {
    here: new Map(here.map((kind) => [kind, 'there'])),
    there: new Map(response.map(({ type }) => [kindOf(type), 'there'])),
  }
}

async function functions(workdir: string, config: Config, hosted: HostedProject): Promise<Sides> {
  const jwt = (verified: boolean): string => (verified ? 'verifies tokens' : 'does not verify tokens')
  const here = await findFunctions(join(workdir, 'supabase', 'functions'), config.functions)
  const there = await hosted.get('/functions', ANSWERS.functions)
  return {
    here: new Map(here.map(({ name, verifyJwt }) => [name, jwt(verifyJwt)])),
    there: new Map(there.map(({ slug, verify_jwt = true }) => [slug, jwt(verify_jwt)])),
  }
}

/** Compares names only. The platform sets those starting with SUPABASE_. */
async function secrets(workdir: string, config: Config, hosted: HostedProject): Promise<Sides> {
  const file = join(workdir, 'supabase', 'functions', '.env')
  const text = await readFile(file, 'utf8').catch(() => '')
  const named = (names: readonly string[]) =>
    new Map(names.filter((name) => !name.startsWith('SUPABASE_')).map((name) => [name, 'there']))
  return {
    here: named([...Object.keys(parseEnvFile(text, file)), ...Object.keys(config.edge_runtime.secrets)]),
    there: named((await hosted.get('/secrets', ANSWERS.secrets)).map(({ name }) => name)),
  }
}

/** Codes for a missing schema or table, which counts as empty. */
const MISSING_TABLE = ['3F000', '42P01']

export const readLocal = (url: string, query: string): Promise<Rows> =>
  withClient(url, async (client) => {
    await client.query('begin read only')
    return (await client.query<Rows[number]>(query)).rows
  }).catch((error: { code?: unknown }) => {
    if (MISSING_TABLE.includes(String(error.code))) return []
    throw error
  })

export function differencesOf(part: string, { here, there }: Sides): Difference[] {
  const names = [...new Set([...here.keys(), ...there.keys()])]
  return names.flatMap((name) => {
    const [mine, hosted] = [here.get(name) ?? null, there.get(name) ?? null]
    return mine === hosted ? [] : [{ part, name, here: mine, hosted }]
  })
}
