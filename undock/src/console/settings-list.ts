import { isDeepStrictEqual } from 'node:util'

/** How a setting is written: `secret` as `env(NAME)` alone, `choice` as one of `choices`; durations and sizes are texts with a unit. */
type SettingKind = 'flag' | 'count' | 'text' | 'list' | 'choice' | 'duration' | 'size' | 'secret'

export type Setting = {
  readonly path: readonly string[]
  readonly label: string
  readonly kind: SettingKind
  readonly choices?: readonly string[]
}
export type SettingGroup = {
  readonly id: string
  readonly name: string
  readonly parts: readonly { readonly name: string; readonly settings: readonly Setting[] }[]
}

type Row = readonly [key: string, kind: SettingKind, label: string, choices?: readonly string[]]

const part = (name: string, table: string, rows: readonly Row[]) => ({
  name,
  settings: rows.map(
    ([key, kind, label, choices]): Setting => ({
      path: [...table.split('.'), ...key.split('.')],
      label,
      kind,
      ...(choices && { choices }),
    }),
  ),
})

const hook = (name: string, title: string) =>
  part(title, `auth.hook.${name}`, [
    ['enabled', 'flag', 'Call this hook'],
    ['uri', 'text', 'Address: https://… or pg-functions://postgres/schema/function'],
    ['secrets', 'secret', 'Secrets that sign the calls'],
  ])

const provider = (name: string, title: string, hasUrl = false) =>
  part(title, `auth.external.${name}`, [
    ['enabled', 'flag', `Sign in with ${title}`],
    ['client_id', 'text', 'Client id'],
    ['secret', 'secret', 'Client secret'],
    ...(hasUrl ? [['url', 'text', 'Address of the server'] as const] : []),
    ['redirect_uri', 'text', 'Redirect address, if not the callback of Auth'],
    ['skip_nonce_check', 'flag', 'Skip the check of the nonce'],
    ['email_optional', 'flag', 'Accept accounts without an address'],
  ])

/** The settings of config.toml that the console edits. Their defaults and checks are those of the schema of the configuration. */
// biome-ignore format: a table
export const SETTING_GROUPS: readonly SettingGroup[] = [
  { id: 'api', name: 'Data API', parts: [part('Rows and schemas', 'api', [
    ['schemas', 'list', 'Schemas that are served'],
    ['extra_search_path', 'list', 'Schemas that are searched besides'],
    ['max_rows', 'count', 'Most rows of an answer; 0 means no limit'],
  ])] },
  { id: 'auth', name: 'Sign-in', parts: [
    part('Sign-up and addresses', 'auth', [
      ['enable_signup', 'flag', 'New users may sign up'],
      ['enable_anonymous_sign_ins', 'flag', 'Anonymous sign-in'],
      ['enable_manual_linking', 'flag', 'Users may link and unlink identities'],
      ['site_url', 'text', 'Address of the app'],
      ['additional_redirect_urls', 'list', 'Other addresses that sign-in may lead to'],
      ['jwt_expiry', 'count', 'Seconds until an access token expires'],
    ]),
    part('Passwords', 'auth', [
      ['minimum_password_length', 'count', 'Least characters of a password'],
      ['password_requirements', 'choice', 'What a password must contain', ['', 'letters_digits', 'lower_upper_letters_digits', 'lower_upper_letters_digits_symbols']],
    ]),
    part('Email', 'auth.email', [
      ['enable_signup', 'flag', 'Sign-in by email'],
      ['enable_confirmations', 'flag', 'New addresses must be confirmed'],
      ['double_confirm_changes', 'flag', 'A change is confirmed at both addresses'],
      ['secure_password_change', 'flag', 'A new password needs a recent sign-in'],
      ['max_frequency', 'duration', 'Time between two emails to one user'],
      ['otp_length', 'count', 'Digits of a code'],
      ['otp_expiry', 'count', 'Seconds until a code expires'],
    ]),
    part('Second factors', 'auth.mfa', [
      ['max_enrolled_factors', 'count', 'Most factors of a user'],
      ['totp.enroll_enabled', 'flag', 'Authenticator apps may be enrolled'],
      ['totp.verify_enabled', 'flag', 'Authenticator apps are accepted'],
      ['phone.enroll_enabled', 'flag', 'Phones may be enrolled'],
      ['phone.verify_enabled', 'flag', 'Phones are accepted'],
    ]),
    part('Rate limits', 'auth.rate_limit', [
      ['email_sent', 'count', 'Emails in an hour'],
      ['sms_sent', 'count', 'Text messages in an hour'],
      ['anonymous_users', 'count', 'Anonymous sign-ins in an hour, by address'],
      ['token_refresh', 'count', 'Refreshed sessions in 5 minutes, by address'],
      ['sign_in_sign_ups', 'count', 'Sign-ins and sign-ups in 5 minutes, by address'],
      ['token_verifications', 'count', 'Verified codes in 5 minutes, by address'],
    ]),
  ] },
  { id: 'providers', name: 'Providers', parts: [
    provider('apple', 'Apple'), provider('azure', 'Azure', true), provider('bitbucket', 'Bitbucket'), provider('discord', 'Discord'),
    provider('facebook', 'Facebook'), provider('github', 'GitHub'), provider('gitlab', 'GitLab', true), provider('google', 'Google'),
    provider('keycloak', 'Keycloak', true), provider('linkedin_oidc', 'LinkedIn'), provider('notion', 'Notion'), provider('slack_oidc', 'Slack'),
    provider('spotify', 'Spotify'), provider('twitch', 'Twitch'), provider('workos', 'WorkOS', true), provider('zoom', 'Zoom'),
  ] },
  { id: 'hooks', name: 'Hooks', parts: [
    hook('before_user_created', 'Before a user is created'), hook('custom_access_token', 'Access tokens'),
    hook('mfa_verification_attempt', 'Attempts at a second factor'), hook('password_verification_attempt', 'Attempts at a password'),
    hook('send_email', 'Sending emails'), hook('send_sms', 'Sending text messages'),
  ] },
  { id: 'smtp', name: 'SMTP', parts: [part('Server that sends the emails', 'auth.email.smtp', [
    ['enabled', 'flag', 'Send emails through this server'],
    ['host', 'text', 'Host'],
    ['port', 'count', 'Port'],
    ['user', 'text', 'User'],
    ['pass', 'secret', 'Password'],
    ['admin_email', 'text', 'Address of the sender'],
    ['sender_name', 'text', 'Name of the sender'],
  ])] },
  { id: 'storage', name: 'Storage', parts: [part('Limits', 'storage', [
    ['file_size_limit', 'size', 'Most bytes of a file, such as 50MiB'],
    ['image_transformation.enabled', 'flag', 'Images are transformed'],
    ['s3_protocol.enabled', 'flag', 'S3 protocol'],
  ])] },
  { id: 'realtime', name: 'Realtime', parts: [part('Realtime', 'realtime', [
    ['enabled', 'flag', 'Realtime runs'],
    ['max_header_length', 'count', 'Most bytes of the headers of a socket'],
  ])] },
]

/** The setting at a path. The functions' secrets have names that the project chooses. */
export function findSetting(path: readonly string[]): Setting | undefined {
  const name = path.length === 3 && path[0] === 'edge_runtime' && path[1] === 'secrets' ? path[2] : undefined
  if (name !== undefined && /^[A-Z_][A-Z0-9_]*$/.test(name)) return { path, label: name, kind: 'secret' }
  return SETTING_GROUPS.flatMap(({ parts }) => parts.flatMap(({ settings }) => settings)).find((one) =>
    isDeepStrictEqual(one.path, path),
  )
}
