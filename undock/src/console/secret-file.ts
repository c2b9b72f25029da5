import { execFile } from 'node:child_process'
import { readFile, realpath } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { isDeepStrictEqual, promisify } from 'node:util'
import { parseEnvFile } from '../config/env.ts'
import { ifMissing } from '../kernel/promises.ts'
import { ServiceError } from '../kernel/service-error.ts'
import { replaceFile } from './config-file.ts'

/** Where to write the values of variables named in config.toml: the first of the CLI's files that isn't shared with others. Relative to the
 *  project's folder. */
const SECRET_FILE = 'supabase/.env.local'

type Secrets = Readonly<Record<string, string>>

/** @throws {ServiceError} 422 if the file isn't writable, git would commit it, or a value can't be written. */
export async function checkSecretFile(supabaseFolder: string, secrets: Secrets): Promise<void> {
  if (Object.keys(secrets).length === 0) return
  const file = join(supabaseFolder, '.env.local')
  const [real, root] = await Promise.all([
    realpath(file).catch(() => file),
    realpath(dirname(supabaseFolder)).catch(() => dirname(supabaseFolder)),
  ])
  const refusal =
    real !== file && !real.startsWith(root + sep)
      ? `${SECRET_FILE} is a link to a file outside of the project's folder: change it there.`
      : (await wouldBeCommitted(file)) &&
        `git would commit ${SECRET_FILE} and its secrets. Add a line ".env.local" to supabase/.gitignore, then try again.`
  if (refusal) throw new ServiceError('not_editable', 422, refusal)
  withSecrets(await read(file), secrets)
}

/** Writes variables, replacing their lines or appending them. Keeps other lines.
 *  @throws {ServiceError} as `checkSecretFile` */
export async function writeSecrets(supabaseFolder: string, secrets: Secrets): Promise<void> {
  if (Object.keys(secrets).length === 0) return
  const file = join(supabaseFolder, '.env.local')
  await replaceFile(file, withSecrets(await read(file), secrets))
}

const read = (file: string): Promise<string> => readFile(file, 'utf8').catch(ifMissing(''))

function withSecrets(text: string, secrets: Secrets): string {
  const next = Object.entries(secrets).reduce((lines, [name, value]) => {
    const line = `${name}=${quoted(value)}`
    const assignment = new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=.*$`, 'm')
    if (assignment.test(lines)) return lines.replace(assignment, () => line)
    return `${lines}${lines === '' || lines.endsWith('\n') ? '' : '\n'}${line}\n`
  }, text)
  // A line within a multi-line value isn't a variable.
  if (isDeepStrictEqual(parseEnvFile(next, SECRET_FILE), { ...parseEnvFile(text, SECRET_FILE), ...secrets }))
    return next
  throw unwritable(Object.keys(secrets).join(', '))
}

/** In quotes that need no escapes, if possible. */
export const quoted = (value: string): string =>
  /'|\\$/.test(value) ? `"${value.replace(/["\\$]/g, '\\$&')}"` : `'${value}'`

const unwritable = (name: string): ServiceError =>
  new ServiceError('invalid', 422, `${SECRET_FILE} cannot hold the value of ${name}. Set it in the environment.`)

/** Whether the folder is in a git repository that doesn't ignore the file. */
async function wouldBeCommitted(file: string): Promise<boolean> {
  try {
    await promisify(execFile)('git', ['check-ignore', '--quiet', file], { cwd: dirname(file) })
    return false
  } catch (error) {
    // 1: not ignored; 128: no repository; ENOENT: no git.
    return error instanceof Error && 'code' in error && error.code === 1
  }
}
