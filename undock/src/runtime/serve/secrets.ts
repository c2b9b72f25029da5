import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Env } from '../../config/env.ts'
import { UserError } from '../../kernel/service-error.ts'

const SECRET_FILE = /^((?:SUPABASE|UNDOCK)_\w+)_FILE$/

/** A secret file named by a variable can't be read. */
class SecretFileError extends UserError {}

/** Reads secret files, as containers provide them: `SUPABASE_AUTH_JWT_SECRET_FILE=/run/secrets/jwt` sets
 *  `SUPABASE_AUTH_JWT_SECRET`, unless that is set directly.
 *  @throws {SecretFileError} */
export function withSecretFiles(env: Env): Env {
  const read = Object.entries(env).flatMap(([variable, path]): [string, string][] => {
    const name = SECRET_FILE.exec(variable)?.[1]
    if (!name || !path || env[name] !== undefined) return []
    try {
      return [[name, readFileSync(path, 'utf8').trim()]]
    } catch (cause) {
      throw new SecretFileError(`Couldn't read the file in ${variable}: ${path}`, { cause })
    }
  })
  return { ...env, ...Object.fromEntries(read) }
}

/** Writes a backend's secrets into a folder, each in a file readable by its owner only. Keeps existing files.
 *  @returns the variables naming them, as lines for a shell or env file. */
export async function writeNewSecrets(folder: string): Promise<string[]> {
  const key = (prefix: string): string => `${prefix}${randomBytes(24).toString('base64url')}`
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const signingKey = { ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), alg: 'ES256', use: 'sig' }
  const files = {
    SUPABASE_AUTH_JWT_SECRET_FILE: ['jwt_secret', randomBytes(48).toString('base64url')],
    SUPABASE_AUTH_PUBLISHABLE_KEY_FILE: ['publishable_key', key('sb_publishable_')],
    SUPABASE_AUTH_SECRET_KEY_FILE: ['secret_key', key('sb_secret_')],
    UNDOCK_SERVE_S3_PROTOCOL_ACCESS_KEY_FILE: ['s3_access_key', randomBytes(16).toString('hex')],
    UNDOCK_SERVE_S3_PROTOCOL_SECRET_KEY_FILE: ['s3_secret_key', randomBytes(32).toString('hex')],
    SUPABASE_AUTH_SIGNING_KEYS_PATH: ['signing_keys.json', JSON.stringify([signingKey], null, 2)],
  } as const
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const [name, text] of Object.values(files))
    await writeFile(join(folder, name), `${text}\n`, { mode: 0o600, flag: 'wx' }).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error
      },
    )
  return Object.entries(files).map(([variable, [name]]) => `${variable}=${resolve(folder, name)}`)
}
