import { DocumentFilter, type SearchFilter } from '../../domain/document-filter.ts'
import { formatCondition, namedValues, parseCondition, withFilter } from '../../domain/field-conditions.ts'
import type { FieldFilter } from '../../domain/field-filter.ts'
import type { Field as CollectionField } from '../../domain/fields.ts'
import {
  FILTERS,
  type FilterName,
  type FilterVocabulary,
  filterValue,
  kindOf,
  type Option,
  optionsOf,
  type TypedName,
} from '../../domain/filters.ts'
import { t } from '../../lib/i18n/i18n.ts'

export type Vocabulary = FilterVocabulary & {
  /** Fields of all collections; names may repeat. */
  fields: readonly CollectionField[]
}

/** Filters that can be typed as `field:value`. */
export type Field = TypedName
export const FIELDS = (Object.keys(FILTERS) as FilterName[]).filter((name): name is Field => 'typed' in FILTERS[name])

type Custom = { name: string }

export const fieldName = (field: Field | Custom): string =>
  typeof field === 'string' ? t(FILTERS[field].typed) : field.name

type Token = { start: number; text: string; field?: Field | Custom; value: string }
type FieldValue = { field: Field | Custom; value: string }

export type ParsedQuery = {
  /** The text without filters and the field being typed. */
  words: string
  filters: Partial<SearchFilter>
  /** Fields with unknown values, which stay in the words. */
  unknown: readonly FieldValue[]
  pending: (FieldValue & { start: number }) | undefined
}

/** Parses a search into words and filters: `lamp kind:pdf from:"Ada Lovelace" since:2026`.
 *  @param isTyping The last word may grow: a field there becomes a filter only after a space. */
export function parseQuery(text: string, vocabulary: Vocabulary, isTyping = false): ParsedQuery {
  const filters: Partial<SearchFilter> = {}
  const unknown: FieldValue[] = []
  const words: string[] = []
  let pending: ParsedQuery['pending']
  for (const { start, text: word, field, value } of tokensOf(text, vocabulary)) {
    if (field === undefined) words.push(word)
    else if (isTyping && start + word.length === text.length) pending = { field, value, start }
    else if (value !== '') {
      const filter = typeof field === 'string' ? resolve(field, value, vocabulary) : undefined
      const custom = typeof field === 'string' ? undefined : resolveCustom(field, value, vocabulary)
      if (filter) Object.assign(filters, filter)
      else if (custom) filters.fields = withFilter(filters.fields, custom.fields, custom)
      else {
        unknown.push({ field, value })
        words.push(word)
      }
    }
  }
  return { words: words.join(' '), filters, unknown, pending }
}

export const withTyped = (filter: SearchFilter, typed: Partial<SearchFilter>): SearchFilter => ({
  ...filter,
  ...typed,
  fields: (typed.fields ?? []).reduce<SearchFilter['fields']>(
    (before, { fields, ...condition }) => withFilter(before, fields, condition),
    filter.fields,
  ),
})

/** Words end at spaces, except in quotation marks. */
function tokensOf(text: string, vocabulary: Vocabulary): Token[] {
  return [...text.matchAll(/(?:[^\s"]|"[^"]*"?)+/g)].map(({ index, 0: word }) => {
    const [, name = '', value = ''] = /^("[^"]+"|[\p{L}\p{N}_-]+):(.*)$/su.exec(word) ?? []
    const field = name === '' ? undefined : (fieldNamed(name) ?? customNamed(name, vocabulary))
    return { start: index, text: word, value: value.replaceAll('"', '').trim(), ...(field ? { field } : {}) }
  })
}

const fieldNamed = (name: string): Field | undefined => {
  const wanted = name.toLowerCase()
  // Quoted names are collection fields.
  return FIELDS.find((field) => field === wanted) ?? FIELDS.find((field) => fieldName(field).toLowerCase() === wanted)
}

const customNamed = (name: string, { fields }: Vocabulary): Custom | undefined => {
  const wanted = letters(name.replaceAll('"', ''))
  const match = fields.find((field) => letters(field.name) === wanted)
  return match && { name: match.name }
}

/** All fields with a name that are comparable with the first one. */
const fieldsOf = ({ name }: Custom, { fields }: Vocabulary): CollectionField[] =>
  fields.filter((field) => letters(field.name) === letters(name))

function resolveCustom(custom: Custom, value: string, vocabulary: Vocabulary): FieldFilter | undefined {
  const read = fieldsOf(custom, vocabulary).flatMap((field) => {
    const condition = parseCondition(field, value, vocabulary.people)
    return condition ? [{ field, condition }] : []
  })
  const [first] = read
  if (!first) return undefined
  const alike = read.filter(({ field }) => field.kind === first.field.kind)
  const any = [...new Set(alike.flatMap(({ condition }) => condition.any ?? []))]
  return { ...first.condition, fields: alike.map(({ field }) => field.id), ...(any.length > 0 ? { any } : {}) }
}

/** A field's name as typed: quoted if it would be ambiguous. */
const typedName = ({ name }: Custom): string =>
  /^[\p{L}\p{N}_-]+$/u.test(name) && !fieldNamed(name) ? name : `"${name}"`

/** Formats a collection field's filter; undefined if the field is missing. */
export function customFilter(filter: FieldFilter, vocabulary: Vocabulary): { name: string; value: string } | undefined {
  const fields = vocabulary.fields.filter(({ id }) => filter.fields.includes(id))
  const [first] = fields
  if (!first) return undefined
  const options = fields.flatMap((field) => field.options)
  return { name: first.name, value: formatCondition(filter, { ...first, options }, vocabulary.people) }
}

function resolve(name: Field, value: string, vocabulary: Vocabulary): Partial<SearchFilter> | undefined {
  const { keys, free } = kindOf(name)
  const [key = 'title'] = keys
  const { [key]: given } = free ? DocumentFilter.parse({ [key]: value.slice(0, 300) }) : {}
  if (given !== undefined) return { [key]: given }
  const options = free === 'only' ? [] : optionsOf(name, vocabulary)
  const exact = options.find(({ names }) => names.some((known) => letters(known) === letters(value)))
  if (exact) return exact.filter
  const [only, ...others] = options.filter((option) => isBegun(option, value))
  return others.length === 0 ? only?.filter : undefined
}

/** Folds names for comparison: case, accents and separators. */
const letters = (name: string): string =>
  name
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[\s_-]+/g, ' ')
    .toLowerCase()

const isBegun = ({ names }: Option, value: string): boolean =>
  names.some((name) => ` ${letters(name)}`.includes(` ${letters(value)}`))

export type Completion = {
  label: string
  filter?: Partial<SearchFilter>
  text?: string
}
export type Completions = {
  start: number
  options: readonly Completion[]
}

const MAX_NAMES = 8
const MIN_NAME_LENGTH = 2

/** Returns completions of the last word: field names, or values of its field. */
export function completionsOf(text: string, vocabulary: Vocabulary): Completions | undefined {
  const last = tokensOf(text, vocabulary).at(-1)
  if (!last || last.start + last.text.length !== text.length) return undefined
  const { start, field, value, text: word } = last
  if (field) {
    const options = (typeof field === 'string' ? optionsOf(field, vocabulary) : optionsOfCustom(field, vocabulary))
      .filter((option) => isBegun(option, value))
      .slice(0, MAX_NAMES)
    return options.length > 0 ? { start, options } : undefined
  }
  if (word.length < MIN_NAME_LENGTH) return undefined
  const custom = [...new Set(vocabulary.fields.map(({ name }) => `${typedName({ name })}:`))]
  const fields = [...FIELDS.map((name) => `${fieldName(name)}:`), ...custom]
    .filter((name) => letters(name.replaceAll('"', '')).startsWith(letters(word.replaceAll('"', ''))))
    .slice(0, MAX_NAMES)
  return fields.length > 0 ? { start, options: fields.map((name) => ({ label: name, text: name })) } : undefined
}

function optionsOfCustom(custom: Custom, vocabulary: Vocabulary): Option[] {
  const names = fieldsOf(custom, vocabulary).flatMap((field) =>
    namedValues(field, vocabulary.people).map(({ name }) => name),
  )
  return [...new Set(names)].flatMap((name) => {
    const filter = resolveCustom(custom, name, vocabulary)
    return filter ? [{ label: name, names: [name], filter: { fields: [filter] } }] : []
  })
}

/** Formats a search as text that `parseQuery` can read. */
export function formatQuery(words: string, filter: SearchFilter, vocabulary: Vocabulary): string {
  const fields = FIELDS.flatMap((field) => {
    const value = filterValue(field, filter, vocabulary)
    return value === undefined ? [] : [`${field}:${/\s/.test(value) ? `"${value}"` : value}`]
  })
  const custom = (filter.fields ?? []).flatMap((one) => {
    const read = customFilter(one, vocabulary)
    return read ? [`${typedName(read)}:${/\s/.test(read.value) ? `"${read.value}"` : read.value}`] : []
  })
  return [words, ...fields, ...custom].filter(Boolean).join(' ')
}
