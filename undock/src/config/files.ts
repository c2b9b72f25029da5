import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { z } from 'zod'
import { tryJson } from '../kernel/json.ts'
import type { SigningKey } from './config.ts'
import type { Problem } from './rules.ts'
import type { Project } from './schema/project.ts'

/** Returns a text file's content; undefined if it doesn't exist. */
export function readOptional(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

const SigningKeys = z.array(z.looseObject({ kty: z.enum(['EC', 'RSA']), alg: z.enum(['ES256', 'RS256']).optional() }))

type Linked = { project: Project; signingKeys: SigningKey[]; problems: Problem[] }

/** Reads the files that the config refers to: mail templates, signing keys, the API's certificate. */
export function readLinkedFiles(project: Project): Linked {
  const problems: Problem[] = []
  const { api, auth } = project
  const read = (path: string, ...key: string[]): string | undefined => {
    try {
      return readFileSync(path, 'utf8')
    } catch (error) {
      problems.push({ path: key, message: `names a file that cannot be read: ${(error as Error).message}` })
      return undefined
    }
  }

  if (api.enabled && api.tls.enabled) {
    const { cert_path, key_path } = api.tls
    const cert = cert_path && read(cert_path, 'api', 'tls', 'cert_path')
    const key = key_path && read(key_path, 'api', 'tls', 'key_path')
    const fault = cert && key && certificateFault(cert, key)
    if (fault) problems.push({ path: ['api', 'tls', 'cert_path'], message: fault })
  }
  if (!auth.enabled) return { project, signingKeys: [], problems }

  const withContent = <M extends Mail>(kind: string, mails: Record<string, M>): Record<string, M> =>
    Object.fromEntries(
      Object.entries(mails).map(([name, mail]) => {
        if (mail.content_path === '' || mail.enabled === false) return [name, mail]
        return [name, { ...mail, content: read(mail.content_path, 'auth', 'email', kind, name, 'content_path') }]
      }),
    )
  const template = withContent('template', auth.email.template)
  const notification = withContent('notification', auth.email.notification)
  const path = ['auth', 'signing_keys_path']
  const keys = auth.signing_keys_path === '' ? undefined : read(auth.signing_keys_path, ...path)
  const parsed = keys === undefined ? undefined : SigningKeys.safeParse(tryJson(keys))
  if (parsed?.success === false)
    problems.push({ path, message: 'must name a JSON file with a list of EC (ES256) or RSA (RS256) keys' })
  const fault = parsed?.data && signingKeysFault(parsed.data)
  if (fault) problems.push({ path, message: fault })
  return {
    project: { ...project, auth: { ...auth, email: { ...auth.email, template, notification } } },
    signingKeys: (parsed?.data ?? []) as SigningKey[],
    problems,
  }
}

function certificateFault(cert: string, key: string): string | undefined {
  try {
    createSecureContext({ cert, key })
    return undefined
  } catch (error) {
    return `and key_path name files that are no certificate with its key, in PEM: ${(error as Error).message}`
  }
}

/** The first key signs, so it must be private; the others only verify. */
function signingKeysFault(keys: readonly JsonWebKey[]): string | undefined {
  for (const [index, key] of keys.entries()) {
    const [kind, create] =
      index === 0 ? (['private', createPrivateKey] as const) : (['public', createPublicKey] as const)
    const fault = keyFault(key, kind, create)
    if (fault) return `names a list whose key ${index + 1} ${fault}; \`supabase gen signing-key\` creates a valid one`
  }
}

/** Required by ES256 and RS256 (RFC 7518). */
const CURVE = 'prime256v1'
const MIN_RSA_BITS = 2048

function keyFault(
  key: JsonWebKey,
  kind: 'private' | 'public',
  create: typeof createPrivateKey | typeof createPublicKey,
): string | undefined {
  let keyObject: KeyObject
  try {
    keyObject = create({ key, format: 'jwk' })
  } catch {
    return `is not a ${kind} key`
  }
  const { namedCurve, modulusLength = 0 } = keyObject.asymmetricKeyDetails ?? {}
  const algorithm = key.kty === 'EC' ? 'ES256' : 'RS256'
  if (key.alg !== undefined && key.alg !== algorithm) return `is not a key for ${key.alg}`
  if (key.kty === 'EC' ? namedCurve !== CURVE : modulusLength < MIN_RSA_BITS)
    return `is not a key for ${algorithm}, which needs ${key.kty === 'EC' ? 'the curve P-256' : `${MIN_RSA_BITS} bits`}`
  return undefined
}

type Mail = { content_path: string; enabled?: boolean; content?: string | undefined }
