import type { Config } from '../config/config.ts'
import { addMigration } from '../database/migrations/add-migration.ts'
import type { Identity } from '../identity/identity.ts'
import { UserError } from '../kernel/service-error.ts'
import { type Category, readAdvisors } from '../project-tools/advisors/index.ts'
import { createFunctionFiles, type FunctionFilesDeps } from './function-files.ts'
import type { Platform } from './package.ts'
import type { SqlClient } from './sql.ts'
import type { StackApi } from './stack-api.ts'

/** A line of a service's log. @property time ISO 8601, in UTC. */
type LogLine = { readonly time: string; readonly fields: Readonly<Record<string, unknown>> }

type Window = {
  readonly service: string
  readonly iso_timestamp_start?: string | undefined
  readonly iso_timestamp_end?: string | undefined
}

/** As many as hosted projects return. */
const MAX_LINES = 100

/** The log file and a filter for its lines, for each service of the official tool. */
const SOURCES: Readonly<Record<string, { readonly file: string; readonly service?: string }>> = {
  api: { file: 'gateway' },
  postgres: { file: 'database' },
  auth: { file: 'auth' },
  storage: { file: 'storage' },
  realtime: { file: 'realtime' },
  'edge-function': { file: 'gateway', service: 'functions' },
  'edge-function-runtime': { file: 'functions' },
}

/** Returns the newest lines in a period, newest first. @throws {UserError} for a service without a log here. */
async function readWindow(
  readLogs: (service: string) => Promise<readonly LogLine[]>,
  { service, iso_timestamp_start = '', iso_timestamp_end = '\uffff' }: Window,
): Promise<LogLine[]> {
  const source = SOURCES[service]
  if (!source) throw new UserError(`A local backend has no logs of "${service}".`)
  const lines = (await readLogs(source.file)).filter(
    ({ time, fields }) =>
      time >= iso_timestamp_start &&
      time <= iso_timestamp_end &&
      (source.service === undefined || fields.service === source.service),
  )
  return lines.slice(-MAX_LINES).reverse()
}

export type PlatformDeps = FunctionFilesDeps & {
  readonly api: StackApi
  readonly sql: SqlClient
  readonly identity: Identity
  readonly config: Config
  /** The project's `supabase` folder. */
  readonly supabaseFolder: string
  /** A service's log lines, oldest first. */
  readLogs(service: string): Promise<readonly LogLine[]>
}

/** Implements the official server's platform operations for this backend, without accounts, branches and documentation search. */
export function createPlatform(deps: PlatformDeps): Platform {
  const { api, sql, identity, config, supabaseFolder, readLogs } = deps
  const functions = createFunctionFiles(deps)
  const advisors = async (category: Category) => ({
    lints: await readAdvisors(sql.readCatalog, config.api.schemas, category),
  })
  return {
    database: {
      // The official server knows its own queries' results and returns others unchanged.
      executeSql: async <T>(_project: string, { query, parameters, read_only }: ExecuteSqlOptions) =>
        (await (read_only || parameters ? sql.read(query, parameters) : sql.run(query))) as T[],
      listMigrations: () => listMigrations(sql),
      applyMigration: async (_project, { name, query }) => {
        await sql.withClient((client) => addMigration(client, supabaseFolder, { name, script: query }))
      },
    },
    debugging: {
      getLogs: (_project, options) => readWindow(readLogs, options),
      getSecurityAdvisors: () => advisors('SECURITY'),
      getPerformanceAdvisors: () => advisors('PERFORMANCE'),
    },
    development: {
      getProjectUrl: async () => config.api.external_url,
      getPublishableKeys: async () => [
        { api_key: identity.keys.publishable, name: 'default', type: 'publishable' },
        { api_key: identity.keys.anon, name: 'anon', type: 'legacy' },
      ],
      generateTypescriptTypes: async () => ({
        types: String(
          await api('/pg/generators/typescript', { query: { included_schemas: config.api.schemas.join(',') } }),
        ),
      }),
    },
    functions,
    storage: {
      listAllBuckets: async () => (await api('/storage/v1/bucket')) as StorageBuckets,
      getStorageConfig: async () => ({
        fileSizeLimit: config.storage.file_size_limit,
        features: {
          imageTransformation: { enabled: config.storage.image_transformation?.enabled ?? true },
          s3Protocol: { enabled: config.storage.s3_protocol.enabled },
        },
      }),
      updateStorageConfig: async () => {
        throw new UserError('The settings of Storage are those of [storage] in supabase/config.toml. Edit that file.')
      },
    },
  }
}

type ExecuteSqlOptions = Parameters<NonNullable<Platform['database']>['executeSql']>[1]
type StorageBuckets = Awaited<ReturnType<NonNullable<Platform['storage']>['listAllBuckets']>>

async function listMigrations(sql: SqlClient): Promise<{ version: string; name?: string }[]> {
  const [history] = await sql.read("select to_regclass('supabase_migrations.schema_migrations') is not null as exists")
  if (history?.exists !== true) return []
  const rows = await sql.read('select version, name from supabase_migrations.schema_migrations order by version')
  return rows.map(({ version, name }) => ({ version: String(version), ...(name ? { name: String(name) } : {}) }))
}
