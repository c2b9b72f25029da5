import { z } from 'zod'
import type { Config } from '../../config/config.ts'
import { type RawTable, valueAt, withKey, withoutKey } from '../../config/values.ts'
import FIELDS from './fields.json' with { type: 'json' }

const Field = z.object({
  /** In the Management API. Dots separate the names of nested objects. */
  name: z.string(),
  /** In config.toml; settings without one have no effect here. */
  key: z.string().optional(),
  /** How the Management API writes the value, if differently from the parsed config.toml. */
  form: z.enum(['not', 'hours', 'seconds', 'list']).optional(),
  default: z.unknown().default(null),
})
export type Field = z.infer<typeof Field>

/** All fields of the settings: the CLI refuses a response of Auth that lacks one. SMTP and SMS providers have no key, so that nothing is
 *  sent.
 *  @see supabase/cli pkg/config/auth.go, and AuthConfigResponse in https://api.supabase.com/api/v1 */
export const {
  auth: AUTH_FIELDS,
  data_api: DATA_API_FIELDS,
  storage: STORAGE_FIELDS,
} = z.record(z.enum(['auth', 'data_api', 'storage']), z.array(Field)).parse(FIELDS)

export const isSecret = ({ name }: Field): boolean =>
  /_(?:secrets?|pass|auth_token|access_key|api_key|api_secret)$/.test(name)

/** Converts a value of the Management API to one for config.toml. */
export function fromHosted({ form }: Field, value: unknown): unknown {
  if (form === 'not' && typeof value === 'boolean') return !value
  if (form === 'hours' && typeof value === 'number') return `${value * 3600}s`
  if (form === 'seconds' && typeof value === 'number') return `${value}s`
  if (form === 'list' && typeof value === 'string') return value.split(/\s*,\s*/).filter(Boolean)
  return value
}

function toHosted({ form }: Field, value: unknown): unknown {
  if (form === 'not') return !value
  if (form === 'hours') return Number(value) / 3600
  return Array.isArray(value) ? value.join(',') : value
}

/** Returns the effective settings in the shape of the Management API. */
export function hostedSettings(fields: readonly Field[], config: Config, unused: RawTable = {}): RawTable {
  return fields.reduce((settings: RawTable, field) => {
    const value = field.key === undefined ? unused[field.name] : valueAt(config, field.key.split('.'))
    const shown = value === undefined ? field.default : toHosted(field, value)
    return withKey(settings, field.name.split('.'), shown)
  }, {})
}

/** Applies changed settings of the Management API to those of config.json; null resets one to its default. */
export function applyHosted(settings: RawTable, fields: readonly Field[], changes: RawTable): RawTable {
  return fields.reduce((next, field) => {
    const value = valueAt(changes, field.name.split('.'))
    if (field.key === undefined || value === undefined) return next
    const path = field.key.split('.')
    return value === null ? withoutKey(next, path) : withKey(next, path, fromHosted(field, value))
  }, settings)
}
