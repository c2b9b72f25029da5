import type { Config } from './config.ts'
import { changedKeys, isTable, type RawTable, valueAt } from './values.ts'

/** Keys, and tables of keys, that are read per request or by a reset. Others apply at the next start. */
const LIVE: readonly string[] = [
  'db.seed',
  'api.schemas',
  'api.extra_search_path',
  'api.max_rows',
  'storage.file_size_limit',
  'auth.site_url',
  'auth.additional_redirect_urls',
  'auth.jwt_expiry',
  'auth.enable_signup',
  'auth.enable_anonymous_sign_ins',
  'auth.enable_manual_linking',
  'auth.minimum_password_length',
  'auth.password_requirements',
  'auth.email.enabled',
  'auth.email.double_confirm_changes',
  'auth.email.enable_confirmations',
  'auth.email.secure_password_change',
  'auth.email.max_frequency',
  'auth.email.otp_length',
  'auth.email.otp_expiry',
  'auth.email.smtp',
  'auth.rate_limit',
  'auth.hook',
  'auth.mfa',
  'auth.external',
]

/** Returns whether a running backend applies a key, such as `auth.enable_signup`. */
export const isLive = (key: string): boolean => LIVE.some((one) => key === one || key.startsWith(`${one}.`))

/** Settings that change while services run.
 *  @property config The settings in effect; mutable.
 *  @property apply Applies the live keys of new settings, or the given ones.
 *  @property pending Keys that apply at the next start. */
export type LiveConfig = {
  readonly config: Config
  apply(next: Config, keys?: readonly string[]): void
  pending(next: Config): string[]
}

export function createLiveConfig(start: Config): LiveConfig {
  const config = structuredClone(start)
  return {
    config,
    apply(next, keys = LIVE) {
      for (const key of keys) {
        const path = key.split('.')
        const name = path.pop() ?? ''
        const [from, to] = [tableAt(next, path), tableAt(config, path)]
        to[name] = structuredClone(from[name])
      }
    },
    pending: (next) => changedKeys(config, next),
  }
}

function tableAt(config: unknown, path: readonly string[]): RawTable {
  const value = valueAt(config, path)
  if (!isTable(value)) throw new Error(`There is no table ${path.join('.')} in the configuration.`)
  return value
}
