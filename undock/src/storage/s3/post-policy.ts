import { z } from 'zod'
import { storageError } from '../errors.ts'

const Policy = z.object({
  expiration: z.string().optional(),
  conditions: z.array(z.union([z.array(z.union([z.string(), z.number()])), z.record(z.string(), z.string())])),
})

/** Fields that need no condition, because they carry the signature itself. */
const EXEMPT = new Set([
  'policy',
  'x-amz-signature',
  'x-amz-algorithm',
  'x-amz-credential',
  'x-amz-date',
  'x-amz-security-token',
])

export type LengthRange = { readonly least: number; readonly most: number }

/** Checks a form against its signed policy: not expired, every condition met, every field named.
 *  @param fields By lower-case names.
 *  @returns the policy's limits on the file's length.
 *  @throws {StorageError} InvalidSignature for an invalid policy, ExpiredToken, AccessDenied
 *  @see storage-api src/storage/protocols/s3/policy.ts */
export function checkPolicy(
  encoded: string,
  fields: ReadonlyMap<string, string>,
  bucket: string,
  now: Date,
): LengthRange | null {
  const { expiration, conditions } = read(encoded)
  const end = Date.parse(expiration ?? '')
  if (Number.isNaN(end)) throw invalid(expiration ? 'Invalid policy expiration' : 'Missing policy expiration')
  if (end < now.getTime()) throw storageError('ExpiredToken')

  const submitted = new Map([...fields, ['bucket', bucket]])
  const covered = new Set<string>()
  let length: LengthRange | null = null
  for (const condition of conditions) {
    if (Array.isArray(condition) && condition[0] === 'content-length-range') {
      length = { least: Number(condition[1]), most: Number(condition[2]) }
      continue
    }
    const { field, value, operator } = parse(condition)
    const given = submitted.get(field)
    const holds = operator === 'eq' ? given === value : given?.startsWith(value) === true
    if (!holds) {
      const fault = operator === 'eq' ? 'does not match' : `does not start with "${value}"`
      throw denied(`"${field}" ${fault}`)
    }
    covered.add(field)
  }
  for (const field of submitted.keys()) {
    if (covered.has(field) || EXEMPT.has(field) || field.startsWith('x-ignore-')) continue
    throw denied(`field "${field}" is not covered by the policy`)
  }
  return length
}

function read(encoded: string): z.infer<typeof Policy> {
  try {
    return Policy.parse(JSON.parse(Buffer.from(encoded, 'base64').toString('utf8')))
  } catch (cause) {
    throw storageError('InvalidSignature', { message: 'Invalid POST policy', cause })
  }
}

type Condition = z.infer<typeof Policy>['conditions'][number]
type Parsed = { readonly field: string; readonly value: string; readonly operator: 'eq' | 'starts-with' }

function parse(condition: Condition): Parsed {
  if (!Array.isArray(condition)) {
    const [entry, ...others] = Object.entries(condition)
    if (!entry || others.length > 0) throw invalid('Invalid policy condition')
    return { field: entry[0].toLowerCase(), value: entry[1], operator: 'eq' }
  }
  const [operator, target, value] = condition
  if (operator !== 'eq' && operator !== 'starts-with') throw invalid('Unsupported policy condition')
  if (typeof target !== 'string' || !target.startsWith('$')) throw invalid('Invalid policy condition')
  return { field: target.slice(1).toLowerCase(), value: String(value ?? ''), operator }
}

const invalid = (message: string) => storageError('InvalidSignature', { message })
const denied = (fault: string) => storageError('AccessDenied', { message: `Policy condition failed: ${fault}` })
