import type { Stack } from '../stack.ts'

type Described = Pick<Stack, 'url' | 'dbUrl' | 'mailUrl' | 'identity'>

/** The storage protocol's keys of `supabase start`, the same on every machine. */
const S3 = {
  accessKeyId: '625729a08b95bf1b7ff351a663f3a23c',
  secretAccessKey: '850181e4652dd023b7a98c58ae0d2d34bd487ee0cc3254aed6eda37307425907',
  region: 'local',
}

/** What `undock run` sets for its command. */
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
    SUPABASE_S3_ACCESS_KEY_ID: S3.accessKeyId,
    SUPABASE_S3_SECRET_ACCESS_KEY: S3.secretAccessKey,
    SUPABASE_S3_REGION: S3.region,
    VITE_SUPABASE_URL: url,
    VITE_SUPABASE_PUBLISHABLE_KEY: publishable,
  }
}

/** What `undock status -o env` prints, under the names of `supabase status`. */
export function statusValues({ url, dbUrl, mailUrl, identity }: Described): Record<string, string> {
  const { publishable, secret, anon, serviceRole } = identity.keys
  return {
    API_URL: url,
    REST_URL: `${url}/rest/v1`,
    FUNCTIONS_URL: `${url}/functions/v1`,
    DB_URL: dbUrl,
    ...(mailUrl ? { MAILPIT_URL: mailUrl, INBUCKET_URL: mailUrl } : {}),
    PUBLISHABLE_KEY: publishable,
    SECRET_KEY: secret,
    JWT_SECRET: identity.jwtSecret,
    ANON_KEY: anon,
    SERVICE_ROLE_KEY: serviceRole,
    STORAGE_S3_URL: `${url}/storage/v1/s3`,
    S3_PROTOCOL_ACCESS_KEY_ID: S3.accessKeyId,
    S3_PROTOCOL_ACCESS_KEY_SECRET: S3.secretAccessKey,
    S3_PROTOCOL_REGION: S3.region,
  }
}
