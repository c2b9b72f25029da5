import { z } from 'zod'
import { ConfigError } from '../config/fault.ts'
import { writtenPath } from '../config/known-keys.ts'
import { isLive } from '../config/live-config.ts'
import type { ProjectConfig } from '../config/project.ts'
import { parseTables, setValues } from '../config/read-toml.ts'
import { isTable, type RawTable, unresolvedName, valueAt } from '../config/values.ts'
import { ServiceError } from '../kernel/service-error.ts'
import { type ConfigFile, type ConfigPath, versionOf, withoutSecrets } from './config-file.ts'
import type { FileChange } from './mail-templates.ts'
import { checkSecretFile, writeSecrets } from './secret-file.ts'
import { findSetting, SETTING_GROUPS, type Setting } from './settings-list.ts'

/** A running backend's settings, for its console. @property read Reads the project with another text for config.toml. @throws {ConfigError}
 *  @property apply Applies changes of the settings that need no restart. */
export type ProjectSettings = {
  read(toml: string): ProjectConfig
  apply(): Promise<void>
}

export type SettingValue = string | number | boolean | readonly string[]

/** @property value As in the file; null without one; for a secret `true` or `env(NAME)`.
 *  @property fallback The default. @property variable The environment variable that overrides the file. */
export type ShownSetting = Setting & {
  readonly value: SettingValue | null
  readonly fallback: SettingValue
  readonly isLive: boolean
  readonly variable: string | null
}
export type ShownSettings = {
  /** Identifies the content of the file. */
  readonly version: string
  /** Why the console can't write the file; null if it can. */
  readonly refusal: string | null
  readonly groups: readonly {
    readonly id: string
    readonly name: string
    readonly parts: readonly { readonly name: string; readonly settings: readonly ShownSetting[] }[]
  }[]
}

/** @property restart The changed keys that take effect at the next start. @property unset Variables in `env(…)` without a value. */
export type SettingsChange = {
  readonly change: FileChange
  readonly restart: readonly string[]
  readonly unset: readonly string[]
}

/** @property overridden Variables whose new value is overridden by the environment or an earlier file. */
export type WrittenSettings = SettingsChange & { readonly overridden: readonly string[] }

/** Other variables of undock and the CLI change settings, such as paths of files to read. */
const VARIABLE = /^(?:(?!SUPABASE_|UNDOCK_)[A-Za-z_]\w*|[A-Z_]\w*_(?:SECRETS?|PASS|PASSWORD|TOKEN|KEY))$/

export const SettingsDraft = z.strictObject({
  version: z.string(),
  values: z
    .array(
      z.strictObject({
        path: z.array(z.string()).max(8),
        /** Null removes the key from the file. */
        value: z.union([
          z.null(),
          z.string().max(10_000),
          z.int().min(0),
          z.boolean(),
          z.array(z.string().max(2_000)).max(500),
        ]),
      }),
    )
    .max(200),
  /** Values of variables named in the file. */
  secrets: z.record(z.string().regex(VARIABLE), z.string().min(1).max(100_000)).default({}),
})
type SettingsDraft = z.input<typeof SettingsDraft>

export type SettingsEditor = {
  /** @throws {ServiceError} 422 if the file is invalid. */
  list(): Promise<ShownSettings>
  /** Previews writing. @throws {ServiceError} 409 if the file has changed since the draft, 422 */
  changes(draft: SettingsDraft): Promise<SettingsChange>
  /** Writes config.toml and applies settings that need no restart. @throws {ServiceError} as `changes` */
  write(draft: SettingsDraft): Promise<WrittenSettings>
}

export function createSettingsEditor(
  settings: ProjectSettings,
  file: ConfigFile,
  supabaseFolder: string,
): SettingsEditor {
  async function plan({
    version,
    values,
    secrets = {},
  }: SettingsDraft): Promise<SettingsChange & { readonly text: string }> {
    const refusal = await file.refusal()
    if (refusal !== null) throw new ServiceError('not_editable', 422, refusal)
    const path = file.path()
    const before = await file.read()
    if (versionOf(before) !== version) throw new ServiceError('changed', 409, changed(path))
    const text = values.reduce((toml, one) => withValue(path, toml, one.path, one.value), before)
    const { env } = checked(() => settings.read(text))
    const keys = values.map(({ path }) => path.join('.'))
    const names = values.flatMap(({ value }) => (typeof value === 'string' ? (unresolvedName(value) ?? []) : []))
    await checkSecretFile(supabaseFolder, secrets)
    return {
      text,
      change: { path, before: withoutSecrets(before, path), after: withoutSecrets(text, path) },
      restart: keys.filter((key) => !isLive(key)),
      unset: names.filter((name) => !env[name] && !(name in secrets)),
    }
  }

  return {
    async list() {
      const toml = await file.read()
      const refusal = await file.refusal()
      const { config, env } = checked(() => settings.read(toml))
      const defaults = settings.read(file.path().endsWith('.toml') ? '' : '{}').config
      const raw = parseTables(toml, file.path())
      const show = (setting: Setting): ShownSetting => {
        const variable = `SUPABASE_${setting.path.join('_').toUpperCase()}`
        const value = shownValue(setting, valueAt(raw, writtenPath(raw, setting.path)))
        return {
          ...setting,
          value,
          fallback: fallbackOf(setting, valueAt(value === null ? config : defaults, setting.path)),
          isLive: isLive(setting.path.join('.')),
          variable: env[variable] ? variable : null,
        }
      }
      const secrets = Object.keys(tableOf(valueAt(raw, SECRETS))).flatMap(
        (name) => findSetting([...SECRETS, name]) ?? [],
      )
      return {
        version: versionOf(toml),
        refusal,
        groups: [
          ...SETTING_GROUPS.map(({ id, name, parts }) => ({
            id,
            name,
            parts: parts.map((part) => ({ name: part.name, settings: part.settings.map(show) })),
          })),
          { id: 'secrets', name: 'Function secrets', parts: [{ name: 'Secrets', settings: secrets.map(show) }] },
        ],
      }
    },
    async changes(draft) {
      const { text: _text, ...change } = await plan(draft)
      return change
    },
    write: (draft) =>
      file.inTurn(async () => {
        const { text, ...change } = await plan(draft)
        const { secrets = {} } = draft
        await writeSecrets(supabaseFolder, secrets)
        await file.write(text)
        await settings.apply()
        const { env } = settings.read(text)
        return { ...change, overridden: Object.keys(secrets).filter((name) => env[name] !== secrets[name]) }
      }),
  }
}

const SECRETS = ['edge_runtime', 'secrets'] as const
const changed = (file: ConfigPath): string =>
  `${file} has changed since this page read it. Reload the page and make the change again.`

function checked<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof ConfigError) throw new ServiceError('invalid', 422, error.message)
    throw error
  }
}

function withValue(file: ConfigPath, toml: string, path: readonly string[], value: SettingValue | null): string {
  const key = path.join('.')
  const setting = findSetting(path)
  if (!setting) throw new ServiceError('unknown_setting', 422, `${key} cannot be changed here.`)
  const fault = value === null ? null : faultOf(setting, value)
  if (fault !== null) throw new ServiceError('invalid', 422, `${key} ${fault}`)
  const written = writtenPath(parseTables(toml, file), path).map(String)
  const edited = setValues(file, toml, written.slice(0, -1), { [written.at(-1) ?? '']: value })
  if (edited !== null) return edited
  throw new ServiceError(
    'not_editable',
    422,
    `${file} sets ${key} in a way that the console cannot edit. ${value === null ? 'Remove it' : `Set ${key} = ${JSON.stringify(value)}`} there yourself.`,
  )
}

function faultOf({ kind, choices }: Setting, value: SettingValue): string | null {
  if (kind === 'flag') return typeof value === 'boolean' ? null : 'must be true or false'
  if (kind === 'count') return typeof value === 'number' ? null : 'must be a whole number'
  if (kind === 'list') return Array.isArray(value) ? null : 'must be a list'
  if (typeof value !== 'string') return 'must be a string'
  if (kind === 'choice') return choices?.includes(value) ? null : `must be one of ${JSON.stringify(choices)}`
  if (kind !== 'secret') return null
  return /^env\([A-Za-z_]\w*\)$/.test(value)
    ? null
    : 'is a secret: name its variable as env(NAME), and store the value in the env file'
}

const tableOf = (value: unknown): RawTable => (isTable(value) ? value : {})

function shownValue({ kind }: Setting, value: unknown): SettingValue | null {
  if (value === undefined) return null
  if (kind === 'secret') {
    if (value === '') return null
    return typeof value === 'string' && unresolvedName(value) !== undefined ? value : true
  }
  return plain(value)
}

function plain(value: unknown): SettingValue {
  if (Array.isArray(value)) return value.map(String)
  return typeof value === 'boolean' || typeof value === 'number' ? value : String(value)
}

const EMPTY = { flag: false, count: 0, list: [], text: '', choice: '', duration: '', size: '', secret: '' } as const
const MIB = 1024 ** 2

function fallbackOf({ kind }: Setting, value: unknown): SettingValue {
  if (kind === 'secret' || value === undefined) return EMPTY[kind]
  if (kind === 'duration') return `${String(value)}s`
  if (kind === 'size') return Number(value) % MIB === 0 ? `${Number(value) / MIB}MiB` : String(value)
  return plain(value)
}
