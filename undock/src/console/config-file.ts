import { createHash, randomUUID } from 'node:crypto'
import { access, constants, lstat, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { type ConfigFileName, findConfigFile } from '../config/project.ts'
import { parseTables } from '../config/read-toml.ts'
import { isTable, unresolvedName } from '../config/values.ts'
import { createSerialQueue, ifMissing } from '../kernel/promises.ts'
import { ServiceError } from '../kernel/service-error.ts'

/** The project's configuration, which the console's forms edit. */
export type ConfigFile = {
  /** Relative to the project's folder. */
  path(): ConfigPath
  /** Its text; empty if there is no file. */
  read(): Promise<string>
  /** Why the console can't write the file; null if it can. */
  refusal(): Promise<string | null>
  /** Runs work on the file, one piece at a time. */
  inTurn<T>(work: () => Promise<T>): Promise<T>
  /** Replaces the file's text. @throws {ServiceError} 422 if it can't be written. */
  write(text: string): Promise<void>
}

export type ConfigPath = `supabase/${ConfigFileName}`

export function openConfigFile(supabaseFolder: string): ConfigFile {
  const path = (): ConfigPath => `supabase/${findConfigFile(supabaseFolder) ?? 'config.toml'}`
  const file = () => join(dirname(supabaseFolder), path())
  const refusal = () => whyNotWritten(path(), supabaseFolder)
  return {
    path,
    read: () => readFile(file(), 'utf8').catch(ifMissing('')),
    refusal,
    inTurn: createSerialQueue(),
    async write(text) {
      const reason = await refusal()
      if (reason !== null) throw new ServiceError('not_editable', 422, reason)
      await replaceFile(file(), text)
    },
  }
}

export const versionOf = (text: string): string => createHash('sha256').update(text).digest('base64url')

async function whyNotWritten(path: ConfigPath, supabaseFolder: string): Promise<string | null> {
  const ifAbsent = () => null
  const file = join(dirname(supabaseFolder), path)
  const stats = await lstat(file).catch(ifAbsent)
  if (!stats) return `There is no ${path}: \`undock init\` creates it.`
  const [real, root] = await Promise.all([realpath(file), realpath(dirname(supabaseFolder))]).catch(() => ['', ''])
  if (!real.startsWith(root + sep))
    return `${path} is a link to a file outside of the project's folder: change it there.`
  const target = await stat(real)
  if (!target.isFile()) return `${path} is not a file.`
  const isWritable = await Promise.all([access(real, constants.W_OK), access(dirname(real), constants.W_OK)]).then(
    () => true,
    () => false,
  )
  // Respects the mode even as root.
  return isWritable && (target.mode & 0o222) !== 0 ? null : `${path} is read-only.`
}

/** Replaces the file atomically. Keeps its mode and symbolic links; a new file is readable only by its user. */
export async function replaceFile(file: string, text: string): Promise<void> {
  const real = await realpath(file).catch(() => file)
  const mode = await stat(real).then(
    (found) => found.mode,
    () => 0o600,
  )
  const next = `${real}.${randomUUID()}`
  try {
    await writeFile(next, text, { mode })
    await rename(next, real)
  } finally {
    await rm(next, { force: true })
  }
}

/** Names of keys whose values are secret. */
const SECRET_KEY = /(?:secrets?|pass|password|token|_key|^key)$/i
/** Tables whose values are all secret. */
const SECRET_TABLES = /^(?:edge_runtime\.secrets|db\.vault|functions\.[^.]+\.env|auth\.sms\.test_otp)$/i

/** Returns a configuration with its secrets redacted, for display. */
export function withoutSecrets(toml: string, path: ConfigPath): string {
  const secrets = secretsIn(parseTables(toml, path), [])
  const shown = secrets
    .toSorted((a, b) => b.length - a.length)
    .flatMap((secret) => [JSON.stringify(secret).slice(1, -1), secret])
    .reduce((text, secret) => text.replaceAll(secret, HIDDEN), toml)
  // A secret written with other escapes would remain.
  const unredacted = new Set(secretsIn(parseTables(shown, path), []))
  return secrets.some((secret) => unredacted.has(secret)) ? `# ${HIDDEN}` : shown
}

const HIDDEN = '••••••'

function secretsIn(value: unknown, path: readonly string[]): string[] {
  if (isTable(value)) return Object.entries(value).flatMap(([name, one]) => secretsIn(one, [...path, name]))
  if (typeof value !== 'string' || value === '' || unresolvedName(value) !== undefined) return []
  return SECRET_KEY.test(path.at(-1) ?? '') || SECRET_TABLES.test(path.slice(0, -1).join('.')) ? [value] : []
}
