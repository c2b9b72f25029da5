import { expect, test } from 'vitest'
import { type Field, OPTION_COLORS } from '../../domain/fields.ts'
import { draftOf, formOf, removedOptions, withOption } from './field-draft.ts'

const FIELD: Field = {
  id: 'state',
  collection_id: 'bills',
  name: 'State',
  kind: 'choice',
  takes_several: true,
  options: [
    { id: 'open', name: 'Open', color: 'green' },
    { id: 'paid', name: 'Paid', color: 'slate' },
  ],
}

test('a field is unchanged after opening and saving its form', () => {
  const { collection_id: _, ...field } = FIELD
  expect(draftOf(formOf(FIELD), FIELD)).toMatchObject(field)
})

test('only person and choice fields have multiple values, and only choices have options', () => {
  const form = formOf(FIELD)
  const saved = (kind: Field['kind']) => {
    const { takes_several, options } = draftOf({ ...form, kind }, undefined)
    return [takes_several, options.length]
  }
  expect([saved('choice'), saved('person'), saved('number')]).toEqual([
    [true, 2],
    [true, 0],
    [false, 0],
  ])
})

test('a new option gets the next color, and is dropped while it has no name', () => {
  const form = formOf(FIELD)
  const options = withOption(form.options)
  expect(options[2]?.color).toBe(OPTION_COLORS[2]?.value)
  expect(draftOf({ ...form, options }, FIELD).options).toHaveLength(2)
  const named = options.map((option, index) => (index === 2 ? { ...option, name: 'Late' } : option))
  expect(draftOf({ ...form, options: named }, FIELD).options.map(({ name }) => name)).toEqual(['Open', 'Paid', 'Late'])
})

test('only saved options count as removed', () => {
  const { options } = formOf(FIELD)
  expect(removedOptions(FIELD, withOption(options.slice(1)))).toEqual([FIELD.options[0]])
  expect(removedOptions(undefined, withOption([]))).toEqual([])
})
