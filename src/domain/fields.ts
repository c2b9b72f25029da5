import { msg, t } from '../lib/i18n/i18n.ts'

export type FieldKind = 'text' | 'number' | 'date' | 'person' | 'choice'
export type FieldOption = { id: string; name: string; color: string }

/** A field of a collection and its descendants. */
export type Field = {
  id: string
  collection_id: string
  name: string
  kind: FieldKind
  takes_several: boolean
  options: readonly FieldOption[]
}

/** A document's value; the column of the field's kind is set. */
export type FieldValue = {
  field_id: string
  text_value: string | null
  number_value: number | null
  date_value: string | null
  person_id: string | null
  option_id: string | null
}

/** A field's new value: text, number, day ("2026-03-05"), ids of people or options, or null. */
export type FieldInput = string | number | readonly string[] | null

export const FIELD_KINDS = [
  { value: 'text', label: msg('Text') },
  { value: 'number', label: msg('Number') },
  { value: 'date', label: msg('Date') },
  { value: 'person', label: msg('Person') },
  { value: 'choice', label: msg('Choice') },
] as const

export const OPTION_COLORS = [
  { value: 'slate', label: msg('Grey'), paint: 'bg-sunken text-ink-soft' },
  { value: 'yellow', label: msg('Yellow'), paint: 'bg-marker-yellow text-ink' },
  { value: 'green', label: msg('Green'), paint: 'bg-marker-green text-ink' },
  { value: 'blue', label: msg('Blue'), paint: 'bg-marker-blue text-ink' },
  { value: 'pink', label: msg('Pink'), paint: 'bg-marker-pink text-ink' },
  { value: 'red', label: msg('Red'), paint: 'bg-danger-soft text-danger' },
] as const

/** Returns an option's color classes; gray for unknown ones. */
export const paintOf = (color: string): string =>
  (OPTION_COLORS.find(({ value }) => value === color) ?? OPTION_COLORS[0]).paint

/** Returns a document's values of a field; ids for people and options. */
export const valuesOf = (values: readonly FieldValue[], field: string): (string | number)[] =>
  values
    .filter(({ field_id }) => field_id === field)
    .flatMap(
      ({ text_value, number_value, date_value, person_id, option_id }) =>
        text_value ?? number_value ?? date_value ?? person_id ?? option_id ?? [],
    )

/** Returns a document's values after setting a field. */
export function withValue(
  values: readonly FieldValue[],
  { id, kind }: Pick<Field, 'id' | 'kind'>,
  input: FieldInput,
): FieldValue[] {
  const items = input === null ? [] : Array.isArray(input) ? input : [input]
  return [
    ...values.filter(({ field_id }) => field_id !== id),
    ...items.map((item: string | number) => ({
      field_id: id,
      text_value: kind === 'text' ? String(item) : null,
      number_value: kind === 'number' ? Number(item) : null,
      date_value: kind === 'date' ? String(item) : null,
      person_id: kind === 'person' ? String(item) : null,
      option_id: kind === 'choice' ? String(item) : null,
    })),
  ]
}

/** Parses a number with a decimal point or comma. @returns undefined if it's invalid. */
export function parseNumber(text: string): number | undefined {
  const number = Number(text.trim().replace(/^(-?\d*),(\d+)$/, '$1.$2'))
  return text.trim() === '' || !Number.isFinite(number) || Math.abs(number) > 1e15 ? undefined : number
}

/** Returns a shelf's orders by field, ascending and descending. */
export const fieldOrders = (fields: readonly Field[]): { value: string; label: string }[] =>
  fields.flatMap(({ id, name }) => [
    { value: id, label: t('{name}, ascending', { name }) },
    { value: `-${id}`, label: t('{name}, descending', { name }) },
  ])
