import { createMiddleware } from 'hono/factory'
import { sha256 } from '../_shared/sha256.ts'
import { type Use, useKey } from './database.ts'
import { Problem } from './problem.ts'

export type Env = { Variables: { key: Use; fileName?: string } }

const KEY = /^carrel_[0-9a-f]{48}$/
const CHECKSUM_LENGTH = 8
const LIMIT = 300
const WINDOW_SECONDS = 60
const CHALLENGE = { 'WWW-Authenticate': 'Bearer realm="Carrel"' }
const HOW =
  'Send the header `Authorization: Bearer carrel_…` with a key that an owner of the library has made under Settings, API keys.'

/** Authenticates the request's key and counts the request against its rate limit. */
export const authenticate = createMiddleware<Env>(async (c, next) => {
  const use = await useKey(hashOf(bearerOf(c.req.header('Authorization'))))
  if (!use) throw new Problem('invalid_key', `There is no such key. ${HOW}`, { headers: CHALLENGE })
  const limits = {
    'RateLimit-Policy': `"key";q=${LIMIT};w=${WINDOW_SECONDS}`,
    RateLimit: `"key";r=${use.remaining};t=${use.resets_in}`,
  }
  refuse(use, limits)
  c.set('key', use)
  for (const [name, value] of Object.entries(limits)) c.header(name, value)
  c.header('Cache-Control', 'private, no-cache')
  await next()
})

/** Requires a scope. The database enforces it as well; this names the missing one. */
export const requireScope = (scope: string) =>
  createMiddleware<Env>(async (c, next) => {
    if (!c.get('key').scopes.includes(scope))
      throw new Problem(
        'missing_scope',
        `This needs a key with the scope ${scope}; yours has ${c.get('key').scopes.join(', ')}.`,
      )
    await next()
  })

/** A key in a URL ends up in the logs of every server on the way. */
export const refuseKeyInAddress = createMiddleware(async (c, next) => {
  const isKey = Object.entries(c.req.queries()).some(
    ([name, values]) =>
      /^(?:api_?key|key|access_token|token)$/i.test(name) || values.some((value) => value.startsWith('carrel_')),
  )
  if (isKey)
    throw new Problem(
      'key_in_address',
      `Addresses are kept in logs, so no key belongs there. Revoke this one, and make another. ${HOW}`,
    )
  await next()
})

function bearerOf(header: string | undefined): string {
  if (header === undefined) throw new Problem('no_key', HOW, { headers: CHALLENGE })
  const key = /^Bearer +(\S+)$/i.exec(header)?.[1] ?? ''
  if (!KEY.test(key)) throw new Problem('invalid_key', `This is not a key of Carrel. ${HOW}`, { headers: CHALLENGE })
  return key
}

/** @returns the SHA-256 under which the database stores the key. @throws {Problem} if the key's checksum is wrong. */
function hashOf(key: string): string {
  if (sha256(key.slice(0, -CHECKSUM_LENGTH)).slice(0, CHECKSUM_LENGTH) !== key.slice(-CHECKSUM_LENGTH))
    throw new Problem('invalid_key', 'The key is not complete, or a character of it is wrong. Copy it again.', {
      headers: CHALLENGE,
    })
  return sha256(key)
}

function refuse({ outcome, resets_in }: Use, limits: Record<string, string>): void {
  switch (outcome) {
    case 'ok':
      return
    case 'revoked':
      throw new Problem('revoked_key', 'This key was revoked. Ask an owner of the library for another.', {
        headers: CHALLENGE,
      })
    case 'expired':
      throw new Problem('expired_key', 'This key has expired. Ask an owner of the library for another.', {
        headers: CHALLENGE,
      })
    case 'not_a_member':
      throw new Problem(
        'owner_not_a_member',
        'The person who created this key is no longer a member of the library, or cannot sign in. Ask an owner for a new key.',
      )
    case 'second_factor':
      throw new Problem(
        'second_factor_required',
        'The library requires a second factor, and this key was made without one. Let an owner who has signed in with one make another.',
      )
    case 'too_many':
      throw new Problem('too_many_requests', `A key makes ${LIMIT} requests a minute. Wait ${resets_in} seconds.`, {
        headers: { ...limits, 'Retry-After': String(resets_in) },
      })
  }
}
