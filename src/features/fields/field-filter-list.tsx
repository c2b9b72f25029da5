import { useState } from 'react'
import { TextField } from '../../components/field.tsx'
import { SelectField } from '../../components/select.tsx'
import {
  filterOf,
  formatCondition,
  namedValues,
  type Person,
  parseCondition,
  withFilter,
} from '../../domain/field-conditions.ts'
import type { FieldFilter } from '../../domain/field-filter.ts'
import type { Field } from '../../domain/fields.ts'
import { t } from '../../lib/i18n/i18n.ts'

type FieldFilterListProps = {
  fields: readonly Field[]
  people: readonly Person[]
  filters: readonly FieldFilter[] | undefined
  onFilters: (filters: FieldFilter[] | undefined) => void
}

/** A control per filterable field. Applies immediately, typed values on Enter or blur. */
export function FieldFilterList({ fields, people, filters, onFilters }: FieldFilterListProps) {
  return fields.map((field) => {
    const filter = filterOf(filters, field.id)
    const set = (condition: Parameters<typeof withFilter>[2]) => onFilters(withFilter(filters, [field.id], condition))
    if (field.kind === 'choice' || field.kind === 'person') {
      return (
        <SelectField
          key={field.id}
          label={field.name}
          value={filter?.empty ? 'none' : (filter?.any?.[0] ?? '')}
          options={[
            { value: '', label: t('All') },
            ...namedValues(field, people).map(({ id, name }) => ({ value: id, label: name })),
            { value: 'none', label: t('No value') },
          ]}
          onValue={(id) => set(id === '' ? undefined : id === 'none' ? { empty: true } : { any: [id] })}
        />
      )
    }
    const text = filter ? formatCondition(filter, field, people) : ''
    return <TypedFilter key={`${field.id} ${text}`} field={field} initial={text} onSet={set} />
  })
}

type TypedFilterProps = {
  field: Field
  initial: string
  onSet: (condition: ReturnType<typeof parseCondition>) => void
}

function TypedFilter({ field, initial, onSet }: TypedFilterProps) {
  const [typed, setTyped] = useState(initial)
  const condition = parseCondition(field, typed)
  const isWrong = typed.trim() !== '' && !condition
  const keep = () => {
    if (!isWrong && typed.trim() !== initial) onSet(condition)
  }
  const hint =
    field.kind === 'number' ? '5, >5, 1..5' : field.kind === 'date' ? '2026, >2026-03, 2024..2026' : undefined
  return (
    <TextField
      label={field.name}
      hint={hint ? t('For example {examples}', { examples: hint }) : t('Words it contains')}
      error={
        isWrong
          ? field.kind === 'number'
            ? t('Enter a number or a range.')
            : t('Enter a date or a range.')
          : undefined
      }
      maxLength={300}
      value={typed}
      onValue={setTyped}
      onBlur={keep}
      onKeyDown={(event) => {
        if (event.key === 'Enter') keep()
      }}
    />
  )
}
