import { storageError } from '../errors.ts'
import { lastModified } from '../objects/download.ts'
import type { ObjectRow } from '../objects/rows.ts'

export type Conditions = {
  readonly match: string | null
  readonly noneMatch: string | null
  readonly modifiedSince: string | null
  readonly unmodifiedSince: string | null
}

export const conditionsOf = ({ headers }: Request, prefix = ''): Conditions => ({
  match: headers.get(`${prefix}if-match`),
  noneMatch: headers.get(`${prefix}if-none-match`),
  modifiedSince: headers.get(`${prefix}if-modified-since`),
  unmodifiedSince: headers.get(`${prefix}if-unmodified-since`),
})

/** Returns whether the client already has this version. @throws {StorageError} PreconditionFailed */
export function evaluateConditions(row: ObjectRow, conditions: Conditions): 'continue' | 'not modified' {
  const { match, noneMatch, modifiedSince, unmodifiedSince } = conditions
  const time = Math.floor(lastModified(row).getTime() / 1000) * 1000
  if (match === null ? time > Date.parse(unmodifiedSince ?? '') : !matchesEntityTag(match, row))
    throw preconditionFailed()
  const known = noneMatch === null ? time <= Date.parse(modifiedSince ?? '') : matchesEntityTag(noneMatch, row)
  return known ? 'not modified' : 'continue'
}

export const preconditionFailed = (cause?: unknown) => storageError('PreconditionFailed', { cause })

/** Returns whether a list of etags includes the object's; like some clients, it may omit the quotes. */
export function matchesEntityTag(tags: string, { metadata }: ObjectRow): boolean {
  const own = typeof metadata?.eTag === 'string' ? bare(metadata.eTag) : undefined
  return tags.split(',').some((tag) => tag.trim() === '*' || bare(tag) === own)
}

const bare = (tag: string): string =>
  tag
    .trim()
    .replace(/^W\//, '')
    .replace(/^"(.*)"$/, '$1')
