import { isDeepStrictEqual } from 'node:util'

/** How a setting is written: `secret` only as `env(NAME)`, `choice` as one of `choices`; durations and sizes are texts with a unit. */
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
    ['redirect_uri', 'text', 'Redirect URL, if not the callback of Auth'],
    ['skip_nonce_check', 'flag', 'Skip the nonce check'],
    ['email_optional', 'flag', 'Accept accounts without an email address'],
  ])

/** The settings in config.toml that the console edits. Defaults and checks come from the configuration's schema. */
// biome-ignore format: a table
export const SETTING_GROUPS: readonly SettingGroup[] = [
  { id: 'api', name: 'Data API', parts: [part('Rows and schemas', 'api', [
    ['schemas', 'list', 'Exposed schemas'],
    ['extra_search_path', 'list', 'Extra search path'],
    ['max_rows', 'count', 'Maximum rows of a response; 0 means no limit'],
  ])] },
  { id: 'auth', name: 'Sign-in', parts: [
    part('Sign-up and URLs', 'auth', [
      ['enable_signup', 'flag', 'Allow new users to sign up'],
      ['enable_anonymous_sign_ins', 'flag', 'Anonymous sign-in'],
      ['enable_manual_linking', 'flag', 'Allow users to link and unlink identities'],
      ['site_url', 'text', 'Site URL'],
      ['additional_redirect_urls', 'list', 'Additional redirect URLs'],
      ['jwt_expiry', 'count', 'Seconds until an access token expires'],
    ]),
    part('Passwords', 'auth', [
      ['minimum_password_length', 'count', 'Minimum password length'],
      ['password_requirements', 'choice', 'Required characters of a password', ['', 'letters_digits', 'lower_upper_letters_digits', 'lower_upper_letters_digits_symbols']],
    ]),
    part('Email', 'auth.email', [
      ['enabled', 'flag', 'Sign-in by email'],
      ['enable_confirmations', 'flag', 'Require confirmation of new addresses'],
      ['double_confirm_changes', 'flag', 'Confirm changes at both addresses'],
      ['secure_password_change', 'flag', 'Require a recent sign-in to change the password'],
      ['max_frequency', 'duration', 'Minimum time between emails to a user'],
      ['otp_length', 'count', 'Digits of a code'],
      ['otp_expiry', 'count', 'Seconds until a code expires'],
    ]),
    part('Second factors', 'auth.mfa', [
      ['max_enrolled_factors', 'count', 'Maximum factors per user'],
      ['totp.enroll_enabled', 'flag', 'Allow enrolling authenticator apps'],
      ['totp.verify_enabled', 'flag', 'Accept authenticator apps'],
      ['phone.enroll_enabled', 'flag', 'Allow enrolling phones'],
      ['phone.verify_enabled', 'flag', 'Accept phones'],
    ]),
    part('Rate limits', 'auth.rate_limit', [
      ['email_sent', 'count', 'Emails per hour'],
      ['sms_sent', 'count', 'Text messages per hour'],
      ['anonymous_users', 'count', 'Anonymous sign-ins per hour and address'],
      ['token_refresh', 'count', 'Refreshed sessions per 5 minutes and address'],
      ['sign_in_sign_ups', 'count', 'Sign-ins and sign-ups per 5 minutes and address'],
      ['token_verifications', 'count', 'Verified codes per 5 minutes and address'],
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
  { id: 'smtp', name: 'SMTP', parts: [part('SMTP server', 'auth.email.smtp', [
    ['enabled', 'flag', 'Send emails through this server'],
    ['host', 'text', 'Host'],
    ['port', 'count', 'Port'],
    ['user', 'text', 'User'],
    ['pass', 'secret', 'Password'],
    ['admin_email', 'text', 'Sender address'],
    ['sender_name', 'text', 'Sender name'],
  ])] },
  { id: 'storage', name: 'Storage', parts: [part('Limits', 'storage', [
    ['file_size_limit', 'size', 'Maximum file size, such as 50MiB'],
    ['image_transformation.enabled', 'flag', 'Transform images'],
    ['s3_protocol.enabled', 'flag', 'S3 protocol'],
  ])] },
  { id: 'realtime', name: 'Realtime', parts: [part('Realtime', 'realtime', [
    ['enabled', 'flag', 'Enable Realtime'],
    ['max_header_length', 'count', 'Maximum bytes of the headers of a socket'],
  ])] },
]

/** Returns the setting at a path. The project chooses the names of functions' secrets. */
export function findSetting(path: readonly string[]): Setting | undefined {
  const name = path.length === 3 && path[0] === 'edge_runtime' && path[1] === 'secrets' ? path[2] : undefined
  if (name !== undefined && /^[A-Z_][A-Z0-9_]*$/.test(name)) return { path, label: name, kind: 'secret' }
  return SETTING_GROUPS.flatMap(({ parts }) => parts.flatMap(({ settings }) => settings)).find((one) =>
    isDeepStrictEqual(one.path, path),
  )
}
