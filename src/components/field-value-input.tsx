import { useState } from 'react'
import { namedValues, type Person } from '../domain/field-conditions.ts'
import { type Field, type FieldInput, parseNumber } from '../domain/fields.ts'
import { t } from '../lib/i18n/i18n.ts'
import { LabelledCheckbox } from './checkbox.tsx'
import { Field as Labelled } from './field.tsx'
import { Input } from './input.tsx'
import { Select } from './select.tsx'

type FieldValueInputProps = {
  field: Field
  people: readonly Person[]
  initial?: FieldInput | undefined
  /** Called on each change; undefined without a valid value. */
  onValue: (value: FieldInput | undefined) => void
}

/** An input for a field's value. Use the field's id as `key`, to reset it for another field. */
export function FieldValueInput({ field, people, initial, onValue }: FieldValueInputProps) {
  const [typed, setTyped] = useState(typeof initial === 'string' || typeof initial === 'number' ? String(initial) : '')
  const [ids, setIds] = useState<readonly string[]>(() =>
    typeof initial === 'string' ? [initial] : Array.isArray(initial) ? initial : [],
  )
  const options = namedValues(field, people)
  const isNamed = field.kind === 'choice' || field.kind === 'person'
  const isWrong = field.kind === 'number' && typed.trim() !== '' && parseNumber(typed) === undefined
  const choose = (next: readonly string[]) => {
    setIds(next)
    onValue(next.length > 0 ? next : undefined)
  }
  const type = (text: string) => {
    setTyped(text)
    onValue(field.kind === 'number' ? parseNumber(text) : text.trim() || undefined)
  }
  if (isNamed && field.takes_several) {
    return (
      <fieldset className="grid max-h-[40dvh] gap-1 overflow-y-auto">
        <legend className="mb-1.5 font-medium text-ink text-sm">{t('Value')}</legend>
        {options.map(({ id, name }) => (
          <LabelledCheckbox
            key={id}
            className="min-h-9"
            checked={ids.includes(id)}
            onChange={(checked) => choose(checked ? [...ids, id] : ids.filter((value) => value !== id))}
          >
            {name}
          </LabelledCheckbox>
        ))}
      </fieldset>
    )
  }
  return (
    <Labelled label={t('Value')} error={isWrong ? t('Enter a number.') : undefined}>
      {(control) =>
        isNamed ? (
          <Select
            {...control}
            value={ids[0] ?? ''}
            options={options.map(({ id, name }) => ({ value: id, label: name }))}
            onValue={(id) => choose([id])}
          />
        ) : (
          <Input
            {...control}
            type={field.kind === 'date' ? 'date' : 'text'}
            inputMode={field.kind === 'number' ? 'decimal' : undefined}
            column="field_values.text_value"
            value={typed}
            onChange={({ target }) => type(target.value)}
          />
        )
      }
    </Labelled>
  )
}
