import { isDeepStrictEqual } from 'node:util'
import { Constructed, UntranslatableError, type Value } from '../haskell/evaluate.ts'
import type { HeaderList, RawResponse } from './client.ts'
import { Json, readJson } from './json.ts'
import { toBytes, toText } from './text.ts'

/** @returns what is missing, or null */
export type HeaderMatcher = (headers: HeaderList) => string | null
type BodyMatcher = (body: Buffer, headers: HeaderList) => string | null

export type ResponseMatcher = {
  readonly matchStatus: number
  readonly matchHeaders: readonly HeaderMatcher[]
  readonly matchBody: BodyMatcher
}

const anyBody: BodyMatcher = () => null

/** Reads a matcher: a status, a text, JSON, or a record of all three. */
export function toResponseMatcher(value: Value): ResponseMatcher {
  if (isMatcher(value)) return value
  if (typeof value === 'number') return { matchStatus: value, matchHeaders: [], matchBody: anyBody }
  if (value instanceof Json) return { matchStatus: 200, matchHeaders: [hasJsonType], matchBody: equalsJson(value) }
  return { matchStatus: 200, matchHeaders: [], matchBody: bodyEquals(value) }
}

export function withMatcherFields(value: Value, fields: Readonly<Record<string, Value>>): ResponseMatcher {
  const base: ResponseMatcher =
    value instanceof Constructed ? { matchStatus: 200, matchHeaders: [], matchBody: anyBody } : toResponseMatcher(value)
  const { matchStatus = base.matchStatus, matchHeaders = base.matchHeaders, matchBody } = fields
  return {
    matchStatus: matchStatus as number,
    matchHeaders: matchHeaders as HeaderMatcher[],
    matchBody: matchBody === undefined ? base.matchBody : toBodyMatcher(matchBody),
  }
}

const isMatcher = (value: Value): value is ResponseMatcher =>
  typeof value === 'object' && value !== null && 'matchStatus' in value && 'matchBody' in value

function toBodyMatcher(value: Value): BodyMatcher {
  if (value instanceof Json) return equalsJson(value)
  // The only function passed by the specs accepts every body.
  if (value instanceof Constructed && value.name === 'MatchBody') return anyBody
  if (typeof value === 'function') return value as BodyMatcher
  if (typeof value === 'string') return bodyEquals(value)
  throw new UntranslatableError('a matcher of the body')
}

export const bodyEquals =
  (expected: Value): BodyMatcher =>
  (body) =>
    body.equals(toBytes(expected)) ? null : `body ${shown(toText(body))}, not ${shown(toText(toBytes(expected)))}`

const equalsJson =
  (expected: Json): BodyMatcher =>
  (body) => {
    const found = readJson(body.toString())
    return found && isDeepStrictEqual(found.value, expected.value)
      ? null
      : `body ${shown(found?.text ?? body.toString())}, not ${shown(expected.text)}`
  }

const hasJsonType: HeaderMatcher = (headers) =>
  /^application\/json(?:; ?charset=utf-8)?$/i.test(headerOf(headers, 'content-type') ?? '')
    ? null
    : `Content-Type is ${headerOf(headers, 'content-type') ?? 'missing'}`

/** Everything missing from a response. */
export function missesOf(response: RawResponse, { matchStatus, matchHeaders, matchBody }: ResponseMatcher): string[] {
  const status =
    response.status === matchStatus
      ? null
      : `status ${response.status}, not ${matchStatus}: ${shown(response.body.toString())}`
  return [
    status,
    ...matchHeaders.map((match) => match(response.headers)),
    matchBody(response.body, response.headers),
  ].filter((miss) => miss !== null)
}

export const headerOf = (headers: HeaderList, name: string): string | undefined =>
  headers.find(([one]) => one.toLowerCase() === name.toLowerCase())?.[1]

export const headerIs =
  (name: string, expected: string): HeaderMatcher =>
  (headers) => {
    const values = headers.filter(([one]) => one.toLowerCase() === name.toLowerCase()).map(([, value]) => value)
    const wanted = Buffer.from(expected).toString('latin1')
    return values.includes(wanted) ? null : `${name} is ${values.join(', ') || 'missing'}, not ${expected}`
  }

export const headerContains =
  (name: string, expected: string): HeaderMatcher =>
  (headers) => {
    const value = headerOf(headers, name)
    return value?.includes(expected) ? null : `${name} is ${value ?? 'missing'}, without ${expected}`
  }

export const headerIsAbsent =
  (name: string): HeaderMatcher =>
  (headers) => {
    const value = headerOf(headers, name)
    return value === undefined ? null : `unexpected ${name}: ${value}`
  }

export const headerMatches = (headers: HeaderList, name: string, pattern: RegExp): boolean =>
  pattern.test(headerOf(headers, name) ?? '')

const MAX_LENGTH = 600
const shown = (text: string): string => (text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text)
