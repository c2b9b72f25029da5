import { restError } from '../errors.ts'
import { type RowRange, rangeOf } from '../range.ts'
import type { AtPath, Condition, Filter, LogicTree, OrderTerm, SelectItem } from './ast.ts'
import { filterCondition, logicPath, logicTree, orderTerms } from './filters.ts'
import { columnNames, treePath } from './names.ts'
import { either, type Parser, parse, succeed } from './parsec.ts'
import { selectList } from './select.ts'

export type QueryParams = {
  readonly canonical: string
  readonly select: readonly SelectItem[]
  readonly filters: readonly AtPath<Filter>[]
  readonly logic: readonly AtPath<LogicTree>[]
  readonly order: readonly AtPath<readonly OrderTerm[]>[]
  /** `limit` and `offset` by resource; the root's key is `limit`. */
  readonly ranges: ReadonlyMap<string, RowRange>
  readonly columns: readonly string[] | null
  readonly onConflict: readonly string[] | null
  readonly arguments: readonly (readonly [name: string, value: string])[]
  readonly filterNames: readonly string[]
}

const RESERVED = new Set(['select', 'columns', 'on_conflict'])
const RESERVED_LAST_WORDS = new Set(['order', 'limit', 'offset', 'and', 'or'])

/** @param takesArguments Whether parameters without an operator are a function's arguments, as in a call by GET.
 *  @throws PGRST100 with the fault's position. */
export function parseQueryParams(
  search: string,
  { takesArguments }: { readonly takesArguments: boolean },
): QueryParams {
  const all = decodePairs(search)
  const pairs = all.filter((pair): pair is [string, string] => pair[1] !== null)
  const lookup = (name: string): string | null => all.find(([key]) => key === name)?.[1] ?? null
  const endingIn = (...words: readonly string[]): [string, string][] =>
    pairs.filter(([key]) => words.includes(lastWord(key)))

  const order = endingIn('order').map(([key, value]) => ({
    path: parseOrThrow(treePath, `failed to parse tree path (${key})`, key).path,
    value: parseOrThrow(orderTerms, `failed to parse order (${value})`, value),
  }))
  const logic = endingIn('and', 'or').map(([key, value]) => parseLogic(key, value))
  const columnsText = lookup('columns')
  const columns =
    columnsText === null
      ? null
      : parseOrThrow(columnNames, `failed to parse columns parameter (${columnsText})`, columnsText)
  const selectText = lookup('select') ?? '*'
  const select = parseSelect(selectText)

  const filters: AtPath<Filter>[] = []
  const args: (readonly [string, string])[] = []
  const conditions = pairs.filter(([key]) => !RESERVED_LAST_WORDS.has(lastWord(key)) && !RESERVED.has(key))
  for (const [key, value] of conditions) {
    const { path, field } = parseOrThrow(treePath, `failed to parse tree path (${key})`, key)
    const condition = parseOrThrow(
      takesArguments ? conditionOrArgument : filterCondition,
      `failed to parse filter (${value})`,
      value,
    )
    if (condition === null) args.push([field.name, value])
    else filters.push({ path, value: { field, ...condition } })
  }

  const onConflictText = lookup('on_conflict')
  return {
    canonical: canonicalize(all),
    select,
    filters,
    logic,
    order,
    ranges: rangesOf(endingIn('limit'), endingIn('offset')),
    columns,
    onConflict:
      onConflictText === null
        ? null
        : parseOrThrow(columnNames, `failed to parse on_conflict parameter (${onConflictText})`, onConflictText),
    arguments: args,
    filterNames: [...new Set(conditions.map(([key]) => key))],
  }
}

/** A value that begins like a filter must be a complete filter; any other value is an argument. */
const conditionOrArgument: Parser<Condition | null> = either<Condition | null>(filterCondition, succeed(null))

/** Cached select lists: parsing them is the most expensive part of requests that the plan cache lacks, such as pages.
 *
 *  Gain: two thirds of the time for compiling such a list with an embed. */
const MAX_CACHED_SELECTS = 500
const parsedSelects = new Map<string, readonly SelectItem[]>()

function parseSelect(text: string): readonly SelectItem[] {
  const cached = parsedSelects.get(text)
  if (cached) return cached
  refuseDeepNesting('failed to parse select parameter', text)
  const select = parseOrThrow(selectList, `failed to parse select parameter (${text})`, text)
  const [oldest] = parsedSelects.keys()
  if (oldest !== undefined && parsedSelects.size >= MAX_CACHED_SELECTS) parsedSelects.delete(oldest)
  parsedSelects.set(text, select)
  return select
}

/** Deeper than any real request, and far below the recursive parser's limit. */
const MAX_NESTING = 100

function refuseDeepNesting(source: string, text: string): void {
  let depth = 0
  for (const character of text) {
    if (character === '(') depth++
    else if (character === ')') depth--
    if (depth > MAX_NESTING)
      throw restError('PGRST100', [source], { details: `nested deeper than ${MAX_NESTING} levels` })
  }
}

function parseOrThrow<T>(parser: Parser<T>, source: string, text: string): T {
  const parsed = parse(parser, source, text)
  if ('value' in parsed) return parsed.value
  throw restError('PGRST100', [parsed.error.message], { details: parsed.error.details })
}

function parseLogic(key: string, value: string): AtPath<LogicTree> {
  const { path, operator } = parseOrThrow(logicPath, `failed to parse logic path (${key})`, key)
  refuseDeepNesting('failed to parse logic tree', value)
  return { path, value: parseOrThrow(logicTree, `failed to parse logic tree (${value})`, operator + value) }
}

const lastWord = (key: string): string => key.slice(key.lastIndexOf('.') + 1)

/** Splits a query string; a name without `=` has the value null. Invalid UTF-8 becomes the replacement character. */
export function decodePairs(search: string): [name: string, value: string | null][] {
  return search
    .replace(/^\?/, '')
    .split(/[&;]/)
    .filter((part) => part !== '')
    .map((part) => {
      const equals = part.indexOf('=')
      if (equals === -1) return [decode(part), null]
      return [decode(part.slice(0, equals)), decode(part.slice(equals + 1))]
    })
}

export function decode(text: string): string {
  if (!/[%+]/.test(text)) return text
  const spaced = text.replaceAll('+', ' ')
  try {
    return decodeURIComponent(spaced)
  } catch {
    const bytes = spaced.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    return Buffer.from(bytes, 'latin1').toString('utf8')
  }
}

const canonicalize = (pairs: readonly (readonly [string, string | null])[]): string =>
  [...pairs]
    .sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))
    .map(([name, value]) => `${encode(name)}=${encode(value ?? '')}`)
    .join('&')

/** Encodes a name or value for the canonical query string. */
export const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`)

function rangesOf(
  limits: readonly (readonly [string, string])[],
  offsets: readonly (readonly [string, string])[],
): ReadonlyMap<string, RowRange> {
  const limitOf = new Map(limits)
  const offsetOf = new Map(offsets.map(([key, value]) => [key.replace(/offset$/, 'limit'), value]))
  return new Map(
    [...new Set([...limitOf.keys(), ...offsetOf.keys()])].map((key) => [
      key,
      rangeOf(limitOf.get(key), offsetOf.get(key)),
    ]),
  )
}
