import { z } from 'zod'
import { authError } from '../errors.ts'

/** Converts a value to what Postgres can store as text or JSON: like Go, replaces lone surrogates.
 *  @throws `validation_failed` for the NUL character, which it can't store */
export function storable<T>(value: T): T {
  return stored(value) as T
}

function stored(value: unknown): unknown {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw authError('textNul')
    return value.toWellFormed()
  }
  if (Array.isArray(value)) return value.map(stored)
  if (isPlainObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [stored(key) as string, stored(item)]))
  return value
}

const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value))

// Building blocks of the request schemas. As upstream, missing and null fields are Go's zero value.

export const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '')

export const flag = z
  .boolean()
  .nullish()
  .transform((value) => value ?? false)

export type Json = Record<string, unknown>

export const object = z.record(z.string(), z.unknown())

export const metadata = object.nullish().transform((value): Json | null => value ?? null)

export const pkce = { code_challenge: text, code_challenge_method: text }

export type PkceParams = { readonly code_challenge: string; readonly code_challenge_method: string }

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export const isUuid = (value: string): boolean => UUID.test(value)

// An atom of RFC 5322 before the @, a host name after it.
const EMAIL =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i

/** Returns a valid address in lower case. @throws `validation_failed` */
export function validEmail(email: string): string {
  if (email === '') throw authError('emailRequired')
  if (Buffer.byteLength(email) > 255) throw authError('emailTooLong')
  if (!EMAIL.test(email)) throw authError('emailInvalid')
  return email.toLowerCase()
}

export const formatPhone = (phone: string): string => phone.replace(/^\+/, '').replaceAll(' ', '')

/** Returns a valid E.164 number without its plus. @throws `validation_failed` */
export function validPhone(phone: string): string {
  const formatted = formatPhone(phone)
  if (!/^[1-9][0-9]{1,14}$/.test(formatted)) throw authError('phoneInvalid')
  return formatted
}

/** Requires both PKCE parameters or neither (RFC 7636 §4.2). @throws `validation_failed` */
export function checkPkce({ code_challenge: challenge, code_challenge_method: method }: PkceParams): void {
  if ((challenge === '') !== (method === '')) throw authError('pkceIncomplete')
  if (challenge === '') return
  if (challenge.length < 43 || challenge.length > 128) throw authError('challengeLength')
  if (!/^[a-zA-Z._~0-9-]+$/.test(challenge)) throw authError('challengeCharacters')
  if (!['s256', 'plain'].includes(method.toLowerCase())) throw authError('challengeMethod', [`"${method}"`])
}
