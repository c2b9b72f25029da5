import type { Stack } from '../stack.ts'
import { LOCAL_CREDENTIALS as S3 } from '../storage/s3/local-credentials.ts'

type Described = Pick<Stack, 'url' | 'dbUrl' | 'mailUrl' | 'identity'>

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
    SUPABASE_S3_ACCESS_KEY_ID: S3.accessKey,
    SUPABASE_S3_SECRET_ACCESS_KEY: S3.secretKey,
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
    S3_PROTOCOL_ACCESS_KEY_ID: S3.accessKey,
    S3_PROTOCOL_ACCESS_KEY_SECRET: S3.secretKey,
    S3_PROTOCOL_REGION: S3.region,
  }
}
