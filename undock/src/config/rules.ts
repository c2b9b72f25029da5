import type { Path } from './position.ts'
import type { Project } from './schema/project.ts'

/** What is wrong with a key beyond its type. */
export type Problem = { readonly path: Path; readonly message: string }

export const missing = (...path: string[]): Problem => ({ path, message: 'is required' })

const FUNCTION_NAME = /^[A-Za-z][A-Za-z0-9_-]*$/
// Storage's own rule for bucket names, which says nothing of length.
const BUCKET_NAME = /^[\w!\-.*'() &$@=;:+,?]*$/
const PROJECT_REF = /^[a-z]{20}$/
const POSTGRES_VERSIONS = [13, 14, 15, 17]
const DENO_VERSIONS = [1, 2]

/** The checks the CLI makes outside [auth], in the order of the file.
 *  @see supabase/cli pkg/config/config.go, Validate */
export function checkProject(project: Project): Problem[] {
  const { api, db, studio, local_smtp, storage, functions, edge_runtime, analytics, experimental, remotes } = project
  const problems: Problem[] = []
  const require = (held: boolean, problem: Problem) => {
    if (!held) problems.push(problem)
  }

  require(project.project_id !== '', missing('project_id'))
  require(!api.enabled || api.port !== 0, missing('api', 'port'))
  if (api.enabled && api.tls.enabled) {
    require(api.tls.cert_path === '' || api.tls.key_path !== '', missing('api', 'tls', 'key_path'))
    require(api.tls.key_path === '' || api.tls.cert_path !== '', missing('api', 'tls', 'cert_path'))
  }
  require(db.port !== 0, missing('db', 'port'))
  require(POSTGRES_VERSIONS.includes(db.major_version), {
    path: ['db', 'major_version'],
    message: `must be one of ${POSTGRES_VERSIONS.join(', ')}, not ${db.major_version}`,
  })
  require(!studio.enabled || studio.port !== 0, missing('studio', 'port'))
  require(!local_smtp.enabled || local_smtp.port !== 0, missing('local_smtp', 'port'))
  for (const name of Object.keys(storage.buckets)) {
    require(BUCKET_NAME.test(name), {
      path: ['storage', 'buckets', name],
      message: 'has a name with characters that Storage refuses',
    })
  }
  for (const name of Object.keys(functions)) {
    require(FUNCTION_NAME.test(name), {
      path: ['functions', name],
      message: 'needs a name that starts with a letter and has only letters, digits, _ and -',
    })
  }
  require(DENO_VERSIONS.includes(edge_runtime.deno_version), {
    path: ['edge_runtime', 'deno_version'],
    message: `must be one of ${DENO_VERSIONS.join(', ')}, not ${edge_runtime.deno_version}`,
  })
  if (analytics.enabled && analytics.backend === 'bigquery') {
    for (const key of ['gcp_project_id', 'gcp_project_number', 'gcp_jwt_path'] as const)
      require(analytics[key] !== '', missing('analytics', key))
  }
  require(experimental.webhooks?.enabled !== false, {
    path: ['experimental', 'webhooks', 'enabled'],
    message: 'can be true or left out: webhooks cannot be switched off',
  })
  require(isJsonOrEmpty(experimental.pgdelta?.format_options ?? ''), {
    path: ['experimental', 'pgdelta', 'format_options'],
    message: 'must be JSON',
  })
  return [...problems, ...checkRemotes(remotes)]
}

function checkRemotes(remotes: Project['remotes']): Problem[] {
  const owners = new Map<string, string>()
  return Object.entries(remotes).flatMap(([name, { project_id }]): Problem[] => {
    const path = ['remotes', name, 'project_id']
    const other = owners.get(project_id)
    owners.set(project_id, name)
    if (other !== undefined) return [{ path, message: `is also that of remotes.${other}` }]
    if (!PROJECT_REF.test(project_id)) return [{ path, message: 'must be 20 small letters, like abcdefghijklmnopqrst' }]
    return []
  })
}

function isJsonOrEmpty(text: string): boolean {
  if (text === '') return true
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
