import { basename, dirname } from 'node:path'
import { type Config, deepFreeze } from './config.ts'
import type { Env } from './env.ts'
import { ConfigError, type Fault } from './fault.ts'
import { readLinkedFiles } from './files.ts'
import { resolvePaths } from './paths.ts'
import { readToml } from './read-toml.ts'
import { canSendSms, checkAuth, checkProject, RETIRED_PROVIDERS } from './rules.ts'
import { type Project, ProjectSchema } from './schema/project.ts'
import { findWarnings } from './warnings.ts'

export type ConfigSource = {
  readonly toml: string
  readonly file: string
  /** The environment merged with the project's env files. Variables such as `SUPABASE_API_PORT` override the file; a
   *  stack on other ports passes them here, so that derived URLs follow. */
  readonly env: Env
  /** Absolute path of `supabase/`, the base of paths in the file. */
  readonly folder: string
  /** The host of the stack's URLs, unless the file names them. */
  readonly host?: string
  /** Whether variables create tables and entries missing from the file. */
  readonly mayCreate?: boolean
}

/** Reads a project's config.toml like the Supabase CLI, with its keys, defaults, environment and checks.
 *  @throws {ConfigError} that lists every fault, each with file, line and key.
 *  @see supabase/cli pkg/config/config.go */
export function loadConfig(source: ConfigSource): { config: Config; warnings: Fault[] } {
  const { data, raw, faults, ignored, fault } = readToml(ProjectSchema, 'SUPABASE', source)
  if (data === undefined) throw new ConfigError([...faults, ...ignored])
  const project = withDerivedValues(data, source)
  const linked = readLinkedFiles(project)
  const problems = [...checkProject(project), ...checkAuth(project.auth), ...linked.problems]
  if (problems.length > 0)
    throw new ConfigError([...problems.map(({ path, message }) => fault(path, message)), ...ignored])
  const warnings = [...ignored, ...findWarnings(project, raw).map(({ path, message }) => fault(path, message))]
  return {
    config: deepFreeze({ ...linked.project, auth: { ...linked.project.auth, signing_keys: linked.signingKeys } }),
    warnings,
  }
}

function withDerivedValues(project: Project, { folder, host = '127.0.0.1' }: ConfigSource): Project {
  const resolved = resolvePaths(project, folder)
  const { api, auth, storage, studio, edge_runtime } = resolved
  const scheme = api.tls.enabled ? 'https' : 'http'
  const apiUrl = api.external_url || `${scheme}://${host}:${api.port}`
  const authUrl = auth.external_url || `${apiUrl.replace(/\/+$/, '')}/auth/v1`
  return {
    ...resolved,
    project_id: sanitizeProjectId(resolved.project_id || basename(dirname(folder))),
    api: { ...api, external_url: apiUrl },
    auth: {
      ...auth,
      external_url: authUrl,
      jwt_issuer: auth.jwt_issuer || authUrl,
      external: withoutRetired(mapKeys(auth.external, (name) => name.toLowerCase())),
      sms: { ...auth.sms, enabled: auth.sms.enabled && canSendSms(auth) },
    },
    studio: { ...studio, api_url: isLocalUrl(studio.api_url) ? apiUrl : studio.api_url },
    storage: { ...storage, buckets: withLimits(storage) },
    edge_runtime: { ...edge_runtime, secrets: mapKeys(edge_runtime.secrets, (name) => name.toUpperCase()) },
  }
}

const withoutRetired = (external: Project['auth']['external']) =>
  Object.fromEntries(Object.entries(external).filter(([name]) => !RETIRED_PROVIDERS.includes(name)))

const withLimits = ({ buckets, file_size_limit }: Project['storage']) =>
  Object.fromEntries(
    Object.entries(buckets).map(([name, bucket]) => [
      name,
      { ...bucket, file_size_limit: bucket.file_size_limit || file_size_limit },
    ]),
  )

const isLocalUrl = (url: string) => !URL.canParse(url) || ['', '127.0.0.1'].includes(new URL(url).host)

const mapKeys = <T>(record: Record<string, T>, rename: (key: string) => string) =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [rename(key), value]))

/** Applies the CLI's rule for the names of containers, volumes and hosts. */
export const sanitizeProjectId = (name: string): string =>
  name
    .replace(/[^a-zA-Z0-9_.-]+/g, '_')
    .replace(/^[_.-]+/, '')
    .slice(0, 40)
