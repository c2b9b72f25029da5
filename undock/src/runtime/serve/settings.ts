import { BlockList, isIP } from 'node:net'
import { join, resolve } from 'node:path'
import type { Config } from '../../config/config.ts'
import type { Env } from '../../config/env.ts'
import { loadConfig } from '../../config/load.ts'
import { readProjectConfig } from '../../config/project.ts'
import type { UndockSettings } from '../../config/settings.ts'
import { UserError } from '../../kernel/service-error.ts'
import { isLoopback } from '../../kernel/url.ts'
import type { FilesOptions } from '../../storage/files/open-files.ts'
import type { Credentials } from '../../storage/s3/signer.ts'
import { withSecretFiles } from './secrets.ts'

/** What prevents a node from serving, and the remedy. */
export type Problem = { readonly what: string; readonly remedy: string }

export class NodeError extends UserError {
  constructor(problems: readonly Problem[]) {
    super(
      [
        `This node can't serve, for ${problems.length === 1 ? 'one reason' : `${problems.length} reasons`}:`,
        ...problems.map(({ what, remedy }) => `\n- ${what}\n  ${remedy}`),
      ].join('\n'),
    )
  }
}

/** A node's settings: project files and environment, without local defaults. */
export type NodeSettings = {
  readonly supabaseFolder: string
  readonly config: Config
  readonly settings: UndockSettings
  readonly env: Env
  /** The server itself, for migrations, LISTEN and other roles. */
  readonly databaseUrl: string
  readonly trustedProxies: BlockList
  /** The file store. */
  readonly files: FilesOptions
  /** For Storage's S3 protocol; undefined if off. */
  readonly s3Credentials: Credentials | undefined
}

/** Reads a node's settings and collects missing or publicly known values.
 *  @throws {ConfigError | SecretFileError | NodeError} */
export function readNodeSettings(workdir: string, environment: Env): NodeSettings {
  const supabaseFolder = join(resolve(workdir), 'supabase')
  const { config, settings, env } = readProjectConfig(workdir, withSecretFiles(environment), {
    mayCreate: true,
  })
  const problems = [
    ...secretProblems(config),
    ...addressProblems(config, settings),
    ...storageProblems(config, settings),
  ]
  const trustedProxies = readProxies(settings.serve.trusted_proxies, problems)
  const { database_url: databaseUrl } = settings
  if (!databaseUrl)
    problems.push({
      what: 'No database is set.',
      remedy: 'Set UNDOCK_DATABASE_URL (or UNDOCK_DATABASE_URL_FILE) to the URL of a PostgreSQL server.',
    })
  const s3Credentials = readS3Credentials(settings, problems)
  if (problems.length > 0 || !databaseUrl) throw new NodeError(problems)
  return {
    supabaseFolder,
    config: withS3Protocol(config, s3Credentials !== undefined),
    settings,
    env,
    databaseUrl,
    trustedProxies,
    files: filesOf(settings),
    s3Credentials,
  }
}

const withS3Protocol = (config: Config, isOn: boolean): Config => ({
  ...config,
  storage: { ...config.storage, s3_protocol: { enabled: isOn && config.storage.s3_protocol.enabled } },
})

/** No defaults: the default keys are for local projects only.
 *  @param problems Gets missing or short keys. */
function readS3Credentials({ serve: { s3_protocol } }: UndockSettings, problems: Problem[]): Credentials | undefined {
  const { access_key: accessKey, secret_key: secretKey, region } = s3_protocol
  if (accessKey === undefined && secretKey === undefined) return undefined
  if (accessKey !== undefined && secretKey !== undefined && secretKey.length >= MIN_SECRET_LENGTH)
    return { accessKey, secretKey, region }
  problems.push({
    what: `The S3 protocol needs an access key and a secret key of at least ${MIN_SECRET_LENGTH} characters.`,
    remedy: `Set UNDOCK_SERVE_S3_PROTOCOL_ACCESS_KEY and UNDOCK_SERVE_S3_PROTOCOL_SECRET_KEY, or none of them. ${NEW_SECRETS}`,
  })
  return undefined
}

const NEW_SECRETS = '`undock serve --new-secrets FOLDER` creates all secrets and prints the variables to set.'
const MIN_SECRET_LENGTH = 32

function secretProblems({ auth }: Config): Problem[] {
  const { auth: local } = loadConfig({ toml: 'project_id = "local"', file: '', env: {}, folder: '/' }).config
  const known = (['jwt_secret', 'publishable_key', 'secret_key'] as const).filter((name) => auth[name] === local[name])
  return [
    ...known.map((name) => ({
      what: `auth.${name} is the public default of local projects.`,
      remedy: `Set SUPABASE_AUTH_${name.toUpperCase()}. ${NEW_SECRETS}`,
    })),
    ...(auth.jwt_secret.length < MIN_SECRET_LENGTH
      ? [{ what: `auth.jwt_secret is shorter than ${MIN_SECRET_LENGTH} characters.`, remedy: NEW_SECRETS }]
      : []),
    ...(auth.signing_keys.length === 0
      ? [
          {
            what: 'No signing key is set: the default key of local projects is public.',
            remedy: `Set SUPABASE_AUTH_SIGNING_KEYS_PATH to a file of signing keys. ${NEW_SECRETS}`,
          },
        ]
      : []),
  ]
}

function addressProblems({ api, auth }: Config, { host, database_url, serve }: UndockSettings): Problem[] {
  const problems: Problem[] = []
  if (!isLoopback(host) && isLoopback(new URL(api.external_url).hostname))
    problems.push({
      what: `The public address is ${api.external_url}, which other machines can't reach.`,
      remedy: 'Set SUPABASE_API_EXTERNAL_URL to the URL of the load balancer.',
    })
  if (auth.enabled && auth.email.enabled && !auth.email.smtp?.enabled && !auth.hook.send_email?.enabled)
    problems.push({
      what: "Auth can't send emails.",
      remedy:
        'Set SUPABASE_AUTH_EMAIL_SMTP_HOST, _PORT, _USER, _PASS, _ADMIN_EMAIL, or [auth.email.smtp] or the hook send_email in supabase/config.toml; or turn off [auth.email] enabled.',
    })
  for (const [name, url] of Object.entries({
    UNDOCK_DATABASE_URL: database_url,
    UNDOCK_SERVE_POOLER_URL: serve.pooler_url,
  }))
    if (url && hasKnownPassword(url))
      problems.push({
        what: `The password in ${name} is the public default of local projects.`,
        remedy: "Change the role's password.",
      })
  return problems
}

function hasKnownPassword(text: string): boolean {
  const { hostname, password } = new URL(text)
  return password === 'postgres' && !isLoopback(hostname)
}

function storageProblems({ storage }: Config, { serve: { s3 } }: UndockSettings): Problem[] {
  if (!storage.enabled) return []
  const missing = (['bucket', 'access_key_id', 'secret_access_key'] as const).filter((name) => !s3[name])
  if (missing.length === 0) return []
  const variables = missing.map((name) => `UNDOCK_SERVE_S3_${name.toUpperCase()}`)
  return [
    {
      what: 'No S3 store is set: a node keeps no files itself.',
      remedy: `Set ${variables.join(', ')}, and UNDOCK_SERVE_S3_ENDPOINT unless it is Amazon's; or turn off [storage].`,
    },
  ]
}

function filesOf({ serve: { s3 } }: UndockSettings): FilesOptions {
  return {
    kind: 's3',
    endpoint: s3.endpoint ?? null,
    region: s3.region,
    bucket: s3.bucket ?? '',
    prefix: s3.prefix,
    accessKeyId: s3.access_key_id ?? '',
    secretAccessKey: s3.secret_access_key ?? '',
    forcePathStyle: s3.force_path_style,
  }
}

/** @param problems Gets invalid addresses. */
function readProxies(texts: readonly string[], problems: Problem[]): BlockList {
  const list = new BlockList()
  for (const text of texts.map((one) => one.trim()).filter(Boolean)) {
    const [address = '', bits] = text.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    const most = family === 'ipv6' ? 128 : 32
    const prefix = bits === undefined ? most : Number(bits)
    if (isIP(address) !== 0 && Number.isInteger(prefix) && prefix >= 0 && prefix <= most)
      list.addSubnet(address, prefix, family)
    else
      problems.push({
        what: `${JSON.stringify(text)} in serve.trusted_proxies is not an address or range.`,
        remedy: 'Use addresses such as 10.0.0.7, or ranges such as 10.0.0.0/8, separated by commas.',
      })
  }
  return list
}
