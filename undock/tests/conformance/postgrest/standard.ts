import { POSTGREST_VERSION } from '../../../src/rest/settings.ts'
import { Action, applyTo, Constructed, perform, type Tuple, type Value } from '../haskell/evaluate.ts'
import { JsonPath } from './json-paths.ts'
import { toText } from './text.ts'
import { equal, just, lowerCase, maybe, NOTHING } from './values.ts'

/** Names from Haskell's standard library, and those the specs import from PostgREST. */
export const STANDARD = {
  $: (callee: Value) => (argument: Value) => applyTo(callee, argument),
  '.': (outer: Value) => (inner: Value) =>
    outer instanceof JsonPath && inner instanceof JsonPath
      ? new JsonPath([...outer.steps, ...inner.steps])
      : (argument: Value) => applyTo(outer, applyTo(inner, argument)),
  '<$>': (callee: Value) => (value: Value) =>
    value instanceof Action
      ? new Action(async (context: Value) => applyTo(callee, await perform(value, context)))
      : (value as readonly Value[]).map((item) => applyTo(callee, item)),
  '<>': (one: Value) => (other: Value) => concatenate(one, other),
  '++': (one: Value) => (other: Value) => concatenate(one, other),
  ':': (head: Value) => (tail: readonly Value[]) => [head, ...tail],
  '==': (one: Value) => (other: Value) => equal(one, other),
  '/=': (one: Value) => (other: Value) => !equal(one, other),
  '<': (one: number) => (other: number) => one < other,
  '<=': (one: number) => (other: number) => one <= other,
  '>': (one: number) => (other: number) => one > other,
  '>=': (one: number) => (other: number) => one >= other,
  '-': (one: number) => (other: number) => one - other,
  '+': (one: number) => (other: number) => one + other,
  negate: (one: number) => -one,
  subtract: (one: number) => (other: number) => other - one,
  not: (one: boolean) => !one,
  True: true,
  False: false,
  Nothing: NOTHING,
  mempty: [],
  empty: '',
  maybe: (otherwise: Value) => (callee: Value) => (value: Constructed) =>
    value.name === 'Just' ? applyTo(callee, value.items[0]) : otherwise,
  fromMaybe: (otherwise: Value) => (value: Constructed) => (value.name === 'Just' ? value.items[0] : otherwise),
  isJust: ({ name }: Constructed) => name === 'Just',
  liftA2: (callee: Value) => (one: Constructed) => (other: Constructed) =>
    one.name === 'Just' && other.name === 'Just'
      ? just(applyTo(applyTo(callee, one.items[0]), other.items[0]))
      : NOTHING,
  map: (callee: Value) => (values: readonly Value[]) => values.map((value) => applyTo(callee, value)),
  filter: (callee: Value) => (values: Value) =>
    typeof values === 'string'
      ? [...values].filter((one) => applyTo(callee, one) === true).join('')
      : (values as readonly Value[]).filter((value) => applyTo(callee, value) === true),
  elem: (value: Value) => (values: Value) =>
    typeof values === 'string'
      ? values.includes(String(value))
      : (values as readonly Value[]).some((one) => equal(value, one)),
  lookup: (name: Value) => (pairs: readonly Tuple[]) =>
    maybe(pairs.find(({ items }) => equal(lowerCase(name), lowerCase(items[0])))?.items[1]),
  length: (values: { readonly length: number }) => values.length,
  take: (count: number) => (values: string | readonly Value[]) => values.slice(0, count),
  splitOn: (separator: string) => (text: Value) => toText(text).split(separator),
  isInfixOf: (part: Value) => (text: Value) => toText(text).includes(toText(part)),
  decodeUtf8: toText,
  encodeUtf8: (text: Value) => text,
  toStrict: (text: Value) => text,
  fromList: (values: Value) => values,
  rightToMaybe: (value: Value) => just(value),
  parseSecret: (value: Value) => value,
  defaultRoleJSPathKey: NOTHING,
  prettyVersion: POSTGREST_VERSION,
  docsVersion: `v${POSTGREST_VERSION.split('.')[0]}`,
  status200: 200,
  ok200: 200,
  badRequest400: 400,
  internalServerError500: 500,
  Status: new Constructed('Status'),
  relativeSeconds: (seconds: number) => new Action(async () => Math.floor(Date.now() / 1000) + seconds),
}

function concatenate(one: Value, other: Value): Value {
  if (Array.isArray(one) && Array.isArray(other)) return [...one, ...other]
  return toText(one) + toText(other)
}
