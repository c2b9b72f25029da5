import type { Config } from '../config/config.ts'
import { readAdvisors } from '../database/advisors.ts'
import type { Identity } from '../identity/identity.ts'
import { createFunctionFiles, type FunctionFilesDeps } from './function-files.ts'
import { type LogLine, readWindow } from './logs.ts'
import { applyMigration, listMigrations } from './migrations.ts'
import type { McpModules } from './package.ts'
import type { SqlClient } from './sql.ts'
import type { StackApi } from './stack-api.ts'
import { ToolError } from './tool.ts'

export type Platform = Parameters<McpModules['official']['createSupabaseMcpServer']>[0]['platform']

export type PlatformDeps = FunctionFilesDeps & {
  readonly api: StackApi
  readonly sql: SqlClient
  readonly identity: Identity
  readonly config: Config
  /** The project's `supabase` folder. */
  readonly supabaseFolder: string
  /** The lines that a service has logged; null when this backend keeps none. */
  readLogs: ((service: string) => Promise<readonly LogLine[]>) | null
}

/** What the official server does with a hosted project, done with this backend. Accounts, branches and the search of the
 *  documentation are left out: they are elsewhere. */
export function createPlatform(deps: PlatformDeps): Platform {
  const { api, sql, identity, config, supabaseFolder, readLogs } = deps
  const functions = createFunctionFiles(deps)
  return {
    database: {
      // The official server knows what its own queries return, and takes the rows of others as they are.
      executeSql: async <T>(_project: string, { query, parameters, read_only }: ExecuteSqlOptions) =>
        (await (read_only || parameters ? sql.read(query, parameters) : sql.run(query))) as T[],
      listMigrations: () => listMigrations(sql),
      applyMigration: (_project, migration) => applyMigration(sql, supabaseFolder, migration),
    },
    debugging: {
      getLogs: async (_project, options) => {
        if (!readLogs) throw new ToolError('This backend runs in memory and keeps no log files.')
        return readWindow(readLogs, options)
      },
      getSecurityAdvisors: () => readAdvisors(sql.read, 'SECURITY', config.api.schemas),
      getPerformanceAdvisors: () => readAdvisors(sql.read, 'PERFORMANCE', config.api.schemas),
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
        throw new ToolError('The settings of Storage are those of [storage] in supabase/config.toml. Edit that file.')
      },
    },
  }
}

type ExecuteSqlOptions = Parameters<NonNullable<Platform['database']>['executeSql']>[1]
type StorageBuckets = Awaited<ReturnType<NonNullable<Platform['storage']>['listAllBuckets']>>
