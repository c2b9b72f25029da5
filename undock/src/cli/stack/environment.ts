import type { Stack } from '../../runtime/stack/stack.ts'
import { LOCAL_CREDENTIALS as S3 } from '../../storage/s3/authenticate.ts'

type Described = Pick<Stack, 'url' | 'dbUrl' | 'mailUrl' | 'identity'>
type DescribedStack = Described & Pick<Stack, 'poolerUrl' | 'consoleUrl' | 'engine' | 'config'>

/** The variables that `undock run` sets for its command. */
export function commandEnvironment({ url, dbUrl, mailUrl, identity }: Described): Record<string, string> {
  const { publishable, secret, anon, serviceRole } = identity.keys
  return {
    SUPABASE_URL: url,
    SUPABASE_PUBLISHABLE_KEY: publishable,
    SUPABASE_SECRET_KEY: secret,
    SUPABASE_ANON_KEY: anon,
    SUPABASE_SERVICE_ROLE_KEY: serviceRole,
    SUPABASE_JWT_SECRET: identity.jwtSecret,
    SUPABASE_DB_URL: dbUrl,
    SUPABASE_FUNCTIONS_URL: `${url}/functions/v1`,
    ...(mailUrl ? { SUPABASE_MAIL_URL: mailUrl } : {}),
    SUPABASE_S3_ENDPOINT: `${url}/storage/v1/s3`,
    SUPABASE_S3_ACCESS_KEY_ID: S3.accessKey,
    SUPABASE_S3_SECRET_ACCESS_KEY: S3.secretKey,
    SUPABASE_S3_REGION: S3.region,
    VITE_SUPABASE_URL: url,
    VITE_SUPABASE_PUBLISHABLE_KEY: publishable,
  }
}

/** The variables of `supabase status`, by the keys for `--override-name`; upstream has no `db.engine`.
 *  @see supabase/cli internal/status/status.go */
export const STATUS_NAMES = {
  'api.url': 'API_URL',
  'api.rest_url': 'REST_URL',
  'api.functions_url': 'FUNCTIONS_URL',
  'api.mcp_url': 'MCP_URL',
  'db.url': 'DB_URL',
  'db.pooler_url': 'DB_POOLER_URL',
  'db.engine': 'DB_ENGINE',
  'studio.url': 'STUDIO_URL',
  'mailpit.url': 'MAILPIT_URL',
  'inbucket.url': 'INBUCKET_URL',
  'auth.publishable_key': 'PUBLISHABLE_KEY',
  'auth.secret_key': 'SECRET_KEY',
  'auth.jwt_secret': 'JWT_SECRET',
  'auth.anon_key': 'ANON_KEY',
  'auth.service_role_key': 'SERVICE_ROLE_KEY',
  'api.storage_s3_url': 'STORAGE_S3_URL',
  'storage.s3_access_key_id': 'S3_PROTOCOL_ACCESS_KEY_ID',
  'storage.s3_secret_access_key': 'S3_PROTOCOL_ACCESS_KEY_SECRET',
  'storage.s3_region': 'S3_PROTOCOL_REGION',
} as const
export type StatusKey = keyof typeof STATUS_NAMES

/** The values of `undock status`. Missing parts are omitted. */
function statusValues(stack: DescribedStack): Partial<Record<StatusKey, string>> {
  const { url, dbUrl, mailUrl, poolerUrl, consoleUrl, engine, identity, config } = stack
  const { publishable, secret, anon, serviceRole } = identity.keys
  return {
    'api.url': url,
    'api.rest_url': `${url}/rest/v1`,
    'api.functions_url': `${url}/functions/v1`,
    ...(config.studio.enabled ? { 'api.mcp_url': `${url}/mcp` } : {}),
    'db.url': dbUrl,
    ...(poolerUrl ? { 'db.pooler_url': poolerUrl } : {}),
    'db.engine': engine.kind,
    ...(consoleUrl ? { 'studio.url': consoleUrl } : {}),
    ...(mailUrl ? { 'mailpit.url': mailUrl, 'inbucket.url': mailUrl } : {}),
    'auth.publishable_key': publishable,
    'auth.secret_key': secret,
    'auth.jwt_secret': identity.jwtSecret,
    'auth.anon_key': anon,
    'auth.service_role_key': serviceRole,
    ...(config.storage.enabled && config.storage.s3_protocol.enabled
      ? {
          'api.storage_s3_url': `${url}/storage/v1/s3`,
          'storage.s3_access_key_id': S3.accessKey,
          'storage.s3_secret_access_key': S3.secretKey,
          'storage.s3_region': S3.region,
        }
      : {}),
  }
}

/** The values by variable name. @param renamed Custom names for some of them. */
export function statusVariables(
  stack: DescribedStack,
  renamed: Partial<Record<StatusKey, string>>,
): Record<string, string> {
  const values = Object.entries(statusValues(stack)) as [StatusKey, string][]
  return Object.fromEntries(values.map(([key, value]) => [renamed[key] ?? STATUS_NAMES[key], value]))
}

/** The rows of `start` and `status` by their labels, grouped like `supabase status`. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, StatusKey>>>> = {
  APIs: { 'Project URL': 'api.url', REST: 'api.rest_url', 'Edge Functions': 'api.functions_url' },
  Database: { URL: 'db.url', Pooler: 'db.pooler_url', Engine: 'db.engine' },
  'Development Tools': { Console: 'studio.url', Mail: 'mailpit.url', MCP: 'api.mcp_url' },
  'Authentication Keys': { Publishable: 'auth.publishable_key', Secret: 'auth.secret_key' },
  'Storage (S3)': {
    URL: 'api.storage_s3_url',
    'Access Key': 'storage.s3_access_key_id',
    'Secret Key': 'storage.s3_secret_access_key',
    Region: 'storage.s3_region',
  },
}

/** The readable output of `start` and `status`. Omits empty groups. */
export function prettyStatus(stack: DescribedStack): string {
  const { title, reason } = stack.engine
  const values = { ...statusValues(stack), 'db.engine': `${title}, because ${reason}` }
  return Object.entries(GROUPS)
    .flatMap(([title, rows]) => {
      const known = Object.entries(rows).filter(([, key]) => values[key] !== undefined)
      if (known.length === 0) return []
      return [`  ${title}`, ...known.map(([label, key]) => `    ${label.padEnd(15)} ${values[key]}`)]
    })
    .join('\n')
}
