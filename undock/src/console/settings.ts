import { createHash, randomUUID } from 'node:crypto'
import { access, constants, lstat, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { parse } from 'smol-toml'
import { z } from 'zod'
import { setTomlValues } from '../config/edit-toml.ts'
import { ConfigError } from '../config/fault.ts'
import { isLive } from '../config/live-config.ts'
import type { ProjectConfig } from '../config/project.ts'
import { isTable, type RawTable, unresolvedName } from '../config/references.ts'
import { createSerialQueue } from '../kernel/serial-queue.ts'
import { ServiceError } from '../kernel/service-error.ts'
import type { FileChange } from './mail-templates.ts'
import { findSetting, SETTING_GROUPS, type Setting } from './settings-list.ts'

/** The settings that a running backend reads, as its console sees them.
 *  @property read Reads the project with a text in the place of its config.toml. @throws {ConfigError}
 *  @property apply Takes over what the files say now of the settings that do not wait for the next start. */
export type ProjectSettings = {
  read(toml: string): ProjectConfig
  apply(): Promise<void>
}

export type SettingValue = string | number | boolean | readonly string[]

/** @property value As the file has it: null when it has none, for a secret `true` or `env(NAME)`.
 *  @property fallback What holds while the file has none. @property variable What overrides the file in the environment. */
export type ShownSetting = Setting & {
  readonly value: SettingValue | null
  readonly fallback: SettingValue
  readonly isLive: boolean
  readonly variable: string | null
}
export type ShownSettings = {
  /** Identifies the content of the file. */
  readonly version: string
  /** Why the file is not written here; null when it is. */
  readonly refusal: string | null
  readonly groups: readonly {
    readonly id: string
    readonly name: string
    readonly parts: readonly { readonly name: string; readonly settings: readonly ShownSetting[] }[]
  }[]
}

/** @property restart The changed keys that have their effect at the next start. @property unset Names of variables that are named by
 *  `env(…)` and have no value. */
export type SettingsChange = {
  readonly change: FileChange
  readonly restart: readonly string[]
  readonly unset: readonly string[]
}

export const SettingsDraft = z.strictObject({
  version: z.string(),
  values: z
    .array(
      z.strictObject({
        path: z.array(z.string()).max(8),
        value: z.union([z.string().max(10_000), z.int().min(0), z.boolean(), z.array(z.string().max(2_000)).max(500)]),
      }),
    )
    .min(1)
    .max(200),
})
type SettingsDraft = z.infer<typeof SettingsDraft>

export type SettingsEditor = {
  /** @throws {ServiceError} 422 when the file has faults. */
  list(): Promise<ShownSettings>
  /** What writing would do. @throws {ServiceError} 409 when the file is another than the draft was made from, 422 */
  changes(draft: SettingsDraft): Promise<SettingsChange>
  /** Writes config.toml and applies what a running backend takes over. @throws {ServiceError} as `changes` */
  write(draft: SettingsDraft): Promise<SettingsChange>
}

const PATH = 'supabase/config.toml'

export function createSettingsEditor(settings: ProjectSettings, supabaseFolder: string): SettingsEditor {
  const file = join(supabaseFolder, 'config.toml')
  // Between the check of a version and the writing of the file, no other request may write.
  const inTurn = createSerialQueue()

  async function load(): Promise<string> {
    return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return ''
      throw error
    })
  }

  async function plan({ version, values }: SettingsDraft): Promise<SettingsChange & { readonly text: string }> {
    const refusal = await whyNotWritten(file, supabaseFolder)
    if (refusal !== null) throw new ServiceError('not_editable', 422, refusal)
    const before = await load()
    if (versionOf(before) !== version) throw new ServiceError('changed', 409, CHANGED)
    const text = values.reduce((toml, { path, value }) => withValue(toml, path, value), before)
    const { env } = checked(() => settings.read(text))
    const keys = values.map(({ path }) => path.join('.'))
    const names = values.flatMap(({ value }) => (typeof value === 'string' ? (unresolvedName(value) ?? []) : []))
    return {
      text,
      change: { path: PATH, before: withoutSecrets(before), after: withoutSecrets(text) },
      restart: keys.filter((key) => !isLive(key)),
      unset: names.filter((name) => !env[name]),
    }
  }

  return {
    async list() {
      const toml = await load()
      const refusal = await whyNotWritten(file, supabaseFolder)
      const { config, env } = checked(() => settings.read(toml))
      const raw = parse(toml)
      const show = (setting: Setting): ShownSetting => {
        const variable = `SUPABASE_${setting.path.join('_').toUpperCase()}`
        return {
          ...setting,
          value: shownValue(setting, valueAt(raw, setting.path)),
          fallback: fallbackOf(setting, valueAt(config, setting.path)),
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
      inTurn(async () => {
        const { text, ...change } = await plan(draft)
        await replaceFile(file, text)
        await settings.apply()
        return change
      }),
  }
}

const SECRETS = ['edge_runtime', 'secrets'] as const
const CHANGED = `${PATH} has changed since this page read it. Load the page again, and make the change anew.`

const versionOf = (text: string): string => createHash('sha256').update(text).digest('base64url')

function checked<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof ConfigError) throw new ServiceError('invalid', 422, error.message)
    throw error
  }
}

/** Why the file is not ours to write; null when it is. */
async function whyNotWritten(file: string, supabaseFolder: string): Promise<string | null> {
  const ifAbsent = () => null
  if (await stat(join(supabaseFolder, 'config.json')).catch(ifAbsent))
    return 'This project is configured by supabase/config.json, which is changed by hand.'
  const found = await lstat(file).catch(ifAbsent)
  if (!found) return `There is no ${PATH}: \`undock init\` makes one.`
  const [real, root] = await Promise.all([realpath(file), realpath(dirname(supabaseFolder))]).catch(() => ['', ''])
  if (!real.startsWith(root + sep)) return `${PATH} is a link out of the project's folder: change the file there.`
  const target = await stat(real)
  if (!target.isFile()) return `${PATH} is not a file.`
  const isWritable = await Promise.all([access(real, constants.W_OK), access(dirname(real), constants.W_OK)]).then(
    () => true,
    () => false,
  )
  // The mode counts even for root, who may write everything.
  return isWritable && (target.mode & 0o222) !== 0 ? null : `${PATH} is read-only.`
}

/** Readers see the old file or the new one, whole. Its mode stays, and a link within the project stays a link. */
async function replaceFile(file: string, text: string): Promise<void> {
  const real = await realpath(file)
  const { mode } = await stat(real)
  const next = `${real}.${randomUUID()}`
  try {
    await writeFile(next, text, { mode })
    await rename(next, real)
  } finally {
    await rm(next, { force: true })
  }
}

function withValue(toml: string, path: readonly string[], value: SettingValue): string {
  const key = path.join('.')
  const setting = findSetting(path)
  if (!setting) throw new ServiceError('unknown_setting', 422, `${key} is no setting that is changed here.`)
  const fault = faultOf(setting, value)
  if (fault !== null) throw new ServiceError('invalid', 422, `${key} ${fault}`)
  const edited = setTomlValues(toml, path.slice(0, -1), { [path.at(-1) ?? '']: value })
  if (edited !== null) return edited
  throw new ServiceError(
    'not_editable',
    422,
    `${PATH} writes ${key} in a way that is not changed here. Set ${key} = ${JSON.stringify(value)} there yourself.`,
  )
}

function faultOf({ kind, choices }: Setting, value: SettingValue): string | null {
  if (kind === 'flag') return typeof value === 'boolean' ? null : 'must be true or false'
  if (kind === 'count') return typeof value === 'number' ? null : 'must be a whole number'
  if (kind === 'list') return Array.isArray(value) ? null : 'must be a list'
  if (typeof value !== 'string') return 'must be a text'
  if (kind === 'choice') return choices?.includes(value) ? null : `must be one of ${JSON.stringify(choices)}`
  if (kind !== 'secret') return null
  return /^env\([A-Za-z_]\w*\)$/.test(value)
    ? null
    : 'is a secret: the file names its variable as env(NAME), and the value is for supabase/.env'
}

const tableOf = (value: unknown): RawTable => (isTable(value) ? value : {})

const valueAt = (tables: unknown, path: readonly string[]): unknown =>
  path.reduce((table, name) => (isTable(table) ? table[name] : undefined), tables)

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

/** Names of keys whose values are secret. */
const SECRET_KEY = /(?:secrets?|pass|password|token|_key|^key)$/i
/** Tables whose values are all secret. */
const SECRET_TABLES = /^(?:edge_runtime\.secrets|db\.vault|functions\.[^.]+\.env|auth\.sms\.test_otp)$/

/** A configuration with its secrets blotted out, as it may be shown. */
function withoutSecrets(toml: string): string {
  const secrets = secretsIn(parse(toml), [])
  const shown = secrets
    .toSorted((a, b) => b.length - a.length)
    .flatMap((secret) => [JSON.stringify(secret).slice(1, -1), secret])
    .reduce((text, secret) => text.replaceAll(secret, HIDDEN), toml)
  // A secret that is written with other escapes is still there.
  const left = new Set(secretsIn(parse(shown), []))
  return secrets.some((secret) => left.has(secret)) ? `# ${HIDDEN}` : shown
}

const HIDDEN = '••••••'

function secretsIn(value: unknown, path: readonly string[]): string[] {
  if (isTable(value)) return Object.entries(value).flatMap(([name, one]) => secretsIn(one, [...path, name]))
  if (typeof value !== 'string' || value === '' || unresolvedName(value) !== undefined) return []
  return SECRET_KEY.test(path.at(-1) ?? '') || SECRET_TABLES.test(path.slice(0, -1).join('.')) ? [value] : []
}
