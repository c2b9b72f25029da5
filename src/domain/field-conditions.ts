import { t } from '../lib/i18n/i18n.ts'
import { dayRange } from './day-range.ts'
import type { FieldCondition, FieldFilter } from './field-filter.ts'
import { type Field, parseNumber } from './fields.ts'

export type Person = { id: string; name: string }

export const filterOf = (filters: readonly FieldFilter[] | undefined, field: string): FieldFilter | undefined =>
  filters?.find(({ fields }) => fields.includes(field))

/** Replaces, adds or (without a condition) removes a filter. */
export function withFilter(
  filters: readonly FieldFilter[] | undefined,
  fields: readonly string[],
  condition: FieldCondition | undefined,
): FieldFilter[] | undefined {
  const others = (filters ?? []).filter((filter) => !filter.fields.some((field) => fields.includes(field)))
  const next = condition ? [...others, { fields: [...fields], ...condition }] : others
  return next.length > 0 ? next : undefined
}

export const namedValues = (field: Field, people: readonly Person[]): readonly Person[] =>
  field.kind === 'choice' ? field.options : field.kind === 'person' ? people : []

/** Parses a typed condition: `5`, `>5`, `<=2.5`, `1..5` for numbers, the same with dates, a name for people and
 *  choices, words for text, and `none` except for text.
 *  @returns undefined if it's invalid for the field. */
export function parseCondition(field: Field, text: string, people: readonly Person[] = []): FieldCondition | undefined {
  const typed = text.trim()
  if (typed === '') return undefined
  if (field.kind === 'text') return { words: typed.slice(0, 300) }
  if (isSame(typed, 'none') || isSame(typed, t('none'))) return { empty: true }
  if (field.kind === 'number') return parseRange(typed, numberRange)
  if (field.kind === 'date') return parseRange(typed, dayRange)
  const values = namedValues(field, people)
  const exact = values.filter(({ name }) => isSame(name, typed))
  const begun = exact.length > 0 ? exact : values.filter(({ name }) => letters(name).startsWith(letters(typed)))
  return begun.length === 1 || exact.length > 0 ? { any: begun.map(({ id }) => id) } : undefined
}

type Range<Value> = { readonly from: Value | undefined; readonly to: Value | undefined }

function parseRange<Value extends string | number>(
  typed: string,
  read: (text: string) => Range<Value> | undefined,
): FieldCondition | undefined {
  const [, sign = '', rest = ''] = /^(>=|<=|>|<|)\s*(.+)$/.exec(typed) ?? []
  const range = sign !== '' && rest.includes('..') ? undefined : read(rest)
  if (!range) return undefined
  const { from, to } = range
  const condition =
    sign === '>'
      ? { above: to }
      : sign === '>='
        ? { from }
        : sign === '<'
          ? { below: from }
          : sign === '<='
            ? { to }
            : { from, to }
  return Object.fromEntries(Object.entries(condition).filter(([, bound]) => bound !== undefined))
}

function numberRange(text: string): Range<number> | undefined {
  const [start = '', end = start, ...others] = text.split('..')
  const from = parseNumber(start)
  const to = parseNumber(end)
  const isMissing = (start !== '' && from === undefined) || (end !== '' && to === undefined)
  if (others.length > 0 || isMissing || (from === undefined && to === undefined)) return undefined
  return from !== undefined && to !== undefined && from > to ? undefined : { from, to }
}

/** Formats a condition for parseCondition. Unknown ids become dots. */
export function formatCondition(condition: FieldCondition, field: Field, people: readonly Person[] = []): string {
  const { any, words, from, to, above, below, empty } = condition
  if (empty) return t('none')
  if (words !== undefined) return words
  if (any) {
    const values = namedValues(field, people)
    return any.map((id) => values.find((one) => one.id === id)?.name ?? '…').join(', ')
  }
  if (above !== undefined) return `>${above}`
  if (below !== undefined) return `<${below}`
  if (from !== undefined && to !== undefined) return from === to ? String(from) : `${from}..${to}`
  return from === undefined ? `<=${to ?? ''}` : `>=${from}`
}

const letters = (name: string): string => name.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
const isSame = (one: string, other: string): boolean => letters(one) === letters(other)
