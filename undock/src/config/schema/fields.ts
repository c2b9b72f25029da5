import { z } from 'zod'
import { parseDuration, parseSize } from '../units.ts'
import { unresolvedName } from '../values.ts'

/** Thrown for a value that a field can't read. Fields accept what the CLI's decoder accepts: `"54321"` for a number,
 *  `1` for true, `"a,b"` for a list, because values of `env(NAME)` are always strings. */
class UnreadableValueError extends Error {}

const field = <T>(read: (value: unknown) => T) =>
  z.unknown().transform((value, context): T => {
    try {
      return read(value)
    } catch (error) {
      if (!(error instanceof UnreadableValueError)) throw error
      const unset = typeof value === 'string' ? unresolvedName(value) : undefined
      const message = unset === undefined ? error.message : `${error.message}, but the variable ${unset} is not set`
      context.issues.push({ code: 'custom', message, input: value })
      return z.NEVER
    }
  })

const TRUE = ['1', 't', 'T', 'TRUE', 'true', 'True']
const FALSE = ['', '0', 'f', 'F', 'FALSE', 'false', 'False']

const readFlag = (value: unknown): boolean => {
  if (typeof value === 'boolean') return value
  if (typeof value === 'number') return value !== 0
  if (typeof value === 'string' && TRUE.includes(value)) return true
  if (typeof value === 'string' && FALSE.includes(value)) return false
  throw new UnreadableValueError(`must be true or false, not ${show(value)}`)
}

const readWhole = (value: unknown, highest: number): number => {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
  if (typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 && number <= highest) return number
  const range = highest === Number.MAX_SAFE_INTEGER ? 'not negative' : `from 0 to ${highest}`
  throw new UnreadableValueError(`must be a whole number, ${range}, not ${show(value)}`)
}

const readText = (value: unknown): string => {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  if (typeof value === 'boolean') return value ? '1' : '0'
  throw new UnreadableValueError(`must be a string, not ${show(value)}`)
}

const readList = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.map(readText)
  if (value === '') return []
  if (typeof value === 'string') return value.split(',')
  throw new UnreadableValueError(`must be a list of strings, not ${show(value)}`)
}

const readDuration = (value: unknown): number => {
  // The CLI reads a number without a unit as nanoseconds; warnings.ts warns about it.
  if (typeof value === 'number' && Number.isInteger(value)) return value / 1e9
  const seconds = typeof value === 'string' ? parseDuration(value) : undefined
  if (seconds !== undefined) return seconds
  throw new UnreadableValueError(`must be a duration with a unit, such as "30s", "5m" or "24h", not ${show(value)}`)
}

const readSize = (value: unknown): number => {
  const bytes = typeof value === 'string' ? parseSize(value) : value
  if (typeof bytes === 'number' && Number.isSafeInteger(bytes) && bytes >= 0) return bytes
  throw new UnreadableValueError(`must be a size such as "50MiB" or a number of bytes, not ${show(value)}`)
}

const readChoice =
  <const T extends string>(allowed: readonly T[]) =>
  (value: unknown): T => {
    const match = allowed.find((one) => one === value)
    if (match !== undefined) return match
    throw new UnreadableValueError(`must be one of ${allowed.map((one) => `"${one}"`).join(', ')}, not ${show(value)}`)
  }

const readCount = (value: unknown) => readWhole(value, Number.MAX_SAFE_INTEGER)
const readPort = (value: unknown) => readWhole(value, 65_535)

export const flag = (fallback: boolean) => field(readFlag).default(fallback)
export const optionalFlag = () => field(readFlag).optional()
export const count = (fallback: number) => field(readCount).default(fallback)
export const optionalCount = () => field(readCount).optional()
export const port = (fallback: number) => field(readPort).default(fallback)
export const text = (fallback = '') => field(readText).default(fallback)
export const optionalText = () => field(readText).optional()
export const textEntry = () => field(readText)
export const list = (fallback: readonly string[] = []) => field(readList).default(() => [...fallback])
export const duration = (fallback: number) => field(readDuration).default(fallback)
/** A duration in undock.toml, where a number without a unit (or a variable's digits) is in seconds. */
export const undockDuration = (fallback: number) =>
  field((value) => (/^\d+$/.test(String(value)) ? readCount(value) : readDuration(value))).default(fallback)
export const size = (fallback: number) => field(readSize).default(fallback)
export const choice = <const T extends string>(allowed: readonly T[], fallback: NoInfer<T>) =>
  field(readChoice(allowed)).prefault(fallback)
export const optionalChoice = <const T extends string>(allowed: readonly T[]) => field(readChoice(allowed)).optional()

/** A table that may be omitted, completely or in part. */
export const table = <S extends z.ZodRawShape>(shape: S) => {
  const object = z.strictObject(shape)
  return object.prefault({} as z.input<typeof object>)
}
/** A table whose absence means something else than its defaults. */
export const optionalTable = <S extends z.ZodRawShape>(shape: S) => z.strictObject(shape).optional()
/** A table of tables with names chosen by the project. */
export const named = <S extends z.ZodRawShape>(shape: S) =>
  z.record(z.string(), z.strictObject(shape)).default(() => ({}))
/** A table of strings with names chosen by the project. */
export const dictionary = () => z.record(z.string(), textEntry()).default(() => ({}))

const show = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}
