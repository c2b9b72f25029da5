import { X } from 'lucide-react'
import { IconButton } from '../../components/button.tsx'
import { Input } from '../../components/input.tsx'
import { Select } from '../../components/select.tsx'
import { namedValues } from '../../domain/field-conditions.ts'
import { t, translated } from '../../lib/i18n/i18n.ts'
import { type ConditionDraft, conditionOf, NO_VALUE } from './draft.ts'
import type { Names } from './rule.ts'
import { KINDS, SUBJECTS, TYPES } from './sentences.ts'

type ConditionRowProps = {
  number: number
  draft: ConditionDraft
  names: Names
  isChecked: boolean
  onChange: (draft: ConditionDraft) => void
  onRemove: () => void
}

const named = (things: readonly { id: string; name: string }[]) =>
  things.map(({ id, name }) => ({ value: id, label: name }))

export function ConditionRow({ number, draft, names, isChecked, onChange, onRemove }: ConditionRowProps) {
  const { on, value } = draft
  const field = on === 'field' ? names.fields.find(({ id }) => id === draft.field) : undefined
  const choices =
    on === 'kind'
      ? translated(KINDS)
      : on === 'type'
        ? translated(TYPES)
        : on === 'added_by'
          ? named(names.people)
          : on === 'tag'
            ? named(names.tags)
            : field && (field.kind === 'choice' || field.kind === 'person')
              ? [...named(namedValues(field, names.people)), { value: NO_VALUE, label: t('No value') }]
              : undefined
  const control = {
    id: draft.key,
    'aria-label': t('Value of condition {number}', { number }),
    ...(isChecked && !conditionOf(draft, names) ? { 'aria-invalid': true as const } : {}),
  }
  const example =
    field?.kind === 'number' ? '5, >5, 1..5' : field?.kind === 'date' ? '2026, >2026-03, 2024..2026' : undefined
  return (
    <li className="grid items-start grid-cols-[minmax(0,1fr)_auto] gap-1 sm:grid-cols-[13.5rem_minmax(0,1fr)_auto]">
      <Select
        id={`${draft.key}-on`}
        aria-label={t('Condition {number}', { number })}
        value={on}
        options={translated(SUBJECTS).filter(({ value: subject }) => subject !== 'field' || names.fields.length > 0)}
        onValue={(next) => onChange({ ...draft, on: next, field: '', value: '' })}
      />
      <div className="grid content-start gap-1 max-sm:order-last max-sm:col-span-2 sm:auto-cols-fr sm:grid-flow-col">
        {on === 'field' ? (
          <Select
            id={`${draft.key}-field`}
            aria-label={t('Field of condition {number}', { number })}
            value={draft.field}
            options={named(names.fields)}
            onValue={(id) => onChange({ ...draft, field: id, value: '' })}
          />
        ) : null}
        {on === 'field' && !field ? null : choices ? (
          <Select
            {...control}
            value={value}
            options={choices}
            onValue={(next) => onChange({ ...draft, value: next })}
          />
        ) : (
          <Input
            {...control}
            maxLength={300}
            placeholder={example}
            value={value}
            onChange={({ target }) => onChange({ ...draft, value: target.value })}
          />
        )}
      </div>
      <IconButton icon={X} label={t('Remove condition {number}', { number })} size="icon" onClick={onRemove} />
    </li>
  )
}
