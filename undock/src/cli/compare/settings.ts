import type { Config } from '../../config/config.ts'
import { ANSWERS, type HostedProject } from './management-api.ts'

type Values = ReadonlyMap<string, string>

/** A local and a hosted setting. @property there Undefined if the platform doesn't return it. */
type Pair = readonly [key: string, here: unknown, there: unknown]
export type Sides = { readonly here: Values; readonly there: Values }

/** Ignores the order of lists. */
const written = (value: unknown): string =>
  Array.isArray(value)
    ? value
        .map((one) => String(one).trim())
        .filter(Boolean)
        .toSorted()
        .join(', ')
    : String(value)

const sides = (pairs: readonly Pair[]): Sides => {
  const told = pairs.filter(([, , there]) => there !== undefined && there !== null)
  return {
    here: new Map(told.map(([key, here]) => [key, written(here)])),
    there: new Map(told.map(([key, , there]) => [key, written(there)])),
  }
}

const listOf = (text: string): string[] => text.split(',')

export async function dataApiSettings({ api }: Config, hosted: HostedProject): Promise<Sides> {
  const there = await hosted.get('/postgrest', ANSWERS.postgrest)
  return sides([
    ['api.schemas', api.enabled ? api.schemas : [], listOf(there.db_schema)],
    ['api.extra_search_path', api.extra_search_path, listOf(there.db_extra_search_path)],
    ['api.max_rows', api.max_rows, there.max_rows],
  ])
}

export async function storageSettings({ storage }: Config, hosted: HostedProject): Promise<Sides> {
  const { fileSizeLimit, features } = await hosted.get('/config/storage', ANSWERS.storage)
  return sides([
    ['storage.file_size_limit', storage.file_size_limit, fileSizeLimit],
    [
      'storage.image_transformation.enabled',
      storage.image_transformation?.enabled ?? false,
      features.imageTransformation.enabled,
    ],
    ['storage.s3_protocol.enabled', storage.s3_protocol.enabled, features.s3Protocol.enabled],
  ])
}

export async function databaseSettings({ db }: Config, hosted: HostedProject): Promise<Sides> {
  const { database } = await hosted.get('', ANSWERS.project)
  return sides([['db.major_version', db.major_version, database.postgres_engine]])
}

const not = (value: unknown): unknown => (typeof value === 'boolean' ? !value : value)
/** The platform counts sessions in hours. */
const hours = (seconds: number): number => seconds / 3_600

/** Secrets are not compared: the platform returns only their hashes. */
export async function authSettings({ auth }: Config, hosted: HostedProject): Promise<Sides> {
  const there = await hosted.get('/config/auth', ANSWERS.auth)
  const { email, sms, mfa, rate_limit, sessions } = auth
  const urls = there.uri_allow_list
  return sides([
    ['auth.site_url', auth.site_url, there.site_url],
    ['auth.additional_redirect_urls', auth.additional_redirect_urls, typeof urls === 'string' ? listOf(urls) : urls],
    ['auth.jwt_expiry', auth.jwt_expiry, there.jwt_exp],
    ['auth.enable_signup', auth.enable_signup, not(there.disable_signup)],
    ['auth.enable_anonymous_sign_ins', auth.enable_anonymous_sign_ins, there.external_anonymous_users_enabled],
    ['auth.enable_manual_linking', auth.enable_manual_linking, there.security_manual_linking_enabled],
    ['auth.enable_refresh_token_rotation', auth.enable_refresh_token_rotation, there.refresh_token_rotation_enabled],
    [
      'auth.refresh_token_reuse_interval',
      auth.refresh_token_reuse_interval,
      there.security_refresh_token_reuse_interval,
    ],
    ['auth.minimum_password_length', auth.minimum_password_length, there.password_min_length],
    ['auth.email.enable_signup', email.enable_signup, there.external_email_enabled],
    ['auth.email.enable_confirmations', email.enable_confirmations, not(there.mailer_autoconfirm)],
    ['auth.email.double_confirm_changes', email.double_confirm_changes, there.mailer_secure_email_change_enabled],
    [
      'auth.email.secure_password_change',
      email.secure_password_change,
      there.security_update_password_require_reauthentication,
    ],
    ['auth.email.otp_length', email.otp_length, there.mailer_otp_length],
    ['auth.email.otp_expiry', email.otp_expiry, there.mailer_otp_exp],
    ['auth.email.max_frequency', email.max_frequency, there.smtp_max_frequency],
    ['auth.sms.enable_signup', sms.enable_signup, there.external_phone_enabled],
    ['auth.sms.enable_confirmations', sms.enable_confirmations, not(there.sms_autoconfirm)],
    ['auth.mfa.max_enrolled_factors', mfa.max_enrolled_factors, there.mfa_max_enrolled_factors],
    ...(['totp', 'phone', 'web_authn'] as const).flatMap((kind): Pair[] => [
      [`auth.mfa.${kind}.enroll_enabled`, mfa[kind].enroll_enabled, there[`mfa_${kind}_enroll_enabled`]],
      [`auth.mfa.${kind}.verify_enabled`, mfa[kind].verify_enabled, there[`mfa_${kind}_verify_enabled`]],
    ]),
    ['auth.rate_limit.anonymous_users', rate_limit.anonymous_users, there.rate_limit_anonymous_users],
    ['auth.rate_limit.token_refresh', rate_limit.token_refresh, there.rate_limit_token_refresh],
    ['auth.rate_limit.sign_in_sign_ups', rate_limit.sign_in_sign_ups, there.rate_limit_otp],
    ['auth.rate_limit.token_verifications', rate_limit.token_verifications, there.rate_limit_verify],
    ['auth.sessions.timebox (hours)', hours(sessions.timebox), there.sessions_timebox],
    ['auth.sessions.inactivity_timeout (hours)', hours(sessions.inactivity_timeout), there.sessions_inactivity_timeout],
    ...Object.entries(auth.hook).map(
      ([name, hook]): Pair => [`auth.hook.${name}.enabled`, hook?.enabled ?? false, there[`hook_${name}_enabled`]],
    ),
    ...providerPairs(auth.external, there),
  ])
}

/** Providers that are enabled on either side. */
function providerPairs(external: Config['auth']['external'], there: Readonly<Record<string, unknown>>): Pair[] {
  const hosted = Object.keys(there).flatMap((key) => /^external_(.+)_client_id$/.exec(key)?.[1] ?? [])
  return [...new Set([...hosted, ...Object.keys(external)])].flatMap((name): Pair[] => {
    const isOn = external[name]?.enabled ?? false
    const isOnThere = there[`external_${name}_enabled`] === true
    if (!isOn && !isOnThere) return []
    const key = `auth.external.${name}`
    const ids: Pair[] =
      isOn && isOnThere ? [[`${key}.client_id`, external[name]?.client_id, there[`external_${name}_client_id`]]] : []
    return [[`${key}.enabled`, isOn, isOnThere], ...ids]
  })
}
