import { namedValues, type Person } from '../../../domain/field-conditions.ts'
import { type Field, type FieldInput, paintOf, valuesOf } from '../../../domain/fields.ts'
import { t } from '../../../lib/i18n/i18n.ts'
import type { Card } from '../card.ts'

/** @property id Of an option or person; null for documents without a value. */
export type BoardColumn<Document = Card> = {
  readonly id: string | null
  readonly name: string
  readonly paint: string | undefined
  readonly cards: readonly Document[]
}

export const canGroup = ({ kind }: Pick<Field, 'kind'>): boolean => kind === 'choice' || kind === 'person'

/** Groups documents into a column per value, keeping their order. A document with several values is in several columns.
 *  Former members with values have a column, too. */
export function boardColumns<Document extends Pick<Card, 'values'>>(
  field: Field,
  people: readonly Person[],
  documents: readonly Document[],
): BoardColumn<Document>[] {
  const named = namedValues(field, people)
  const cards = new Map<string | null, Document[]>()
  for (const card of documents) {
    const values = valuesOf(card.values, field.id).map(String)
    for (const value of values.length > 0 ? new Set(values) : [null]) {
      const column = cards.get(value)
      if (column) column.push(card)
      else cards.set(value, [card])
    }
  }
  const paint = (id: string) =>
    field.kind === 'choice' ? paintOf(field.options.find((option) => option.id === id)?.color ?? '') : undefined
  const removed = [...cards.keys()].filter((id) => id !== null && named.every((one) => one.id !== id))
  return [
    { id: null, name: t('No value'), paint: undefined, cards: cards.get(null) ?? [] },
    ...named.map(({ id, name }) => ({ id, name, paint: paint(id), cards: cards.get(id) ?? [] })),
    ...removed.map((id) => ({ id, name: t('Former member'), paint: undefined, cards: cards.get(id) ?? [] })),
  ]
}

/** Returns a field's value after a move: other values stay, unless it's to the column without a value. */
export function valueAfterMove(
  field: Field,
  card: Pick<Card, 'values'>,
  from: string | null,
  to: string | null,
): FieldInput {
  if (to === null) return null
  const values = field.takes_several ? valuesOf(card.values, field.id).map(String) : []
  return [...values.filter((value) => value !== from && value !== to), to]
}
