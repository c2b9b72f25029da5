import { X } from 'lucide-react'
import { IconButton } from '../../components/button.tsx'
import { LabelledCheckbox } from '../../components/checkbox.tsx'
import { FieldValueInput } from '../../components/field-value-input.tsx'
import { Select } from '../../components/select.tsx'
import { t, translated } from '../../lib/i18n/i18n.ts'
import { type ActionDraft, actionOf } from './draft.ts'
import type { Names } from './rule.ts'
import { ACTION_KINDS } from './sentences.ts'

type ActionRowProps = {
  number: number
  draft: ActionDraft
  names: Names
  isChecked: boolean
  onChange: (draft: ActionDraft) => void
  onRemove: (() => void) | undefined
}

export function ActionRow({ number, draft, names, isChecked, onChange, onRemove }: ActionRowProps) {
  const { do: kind, target } = draft
  const things = kind === 'tag' ? names.tags : kind === 'move' ? names.collections : names.fields
  const field = kind === 'set' ? names.fields.find(({ id }) => id === target) : undefined
  const invalid = isChecked && !actionOf(draft, names) ? { 'aria-invalid': true as const } : {}
  return (
    <li className="grid items-start grid-cols-[minmax(0,1fr)_auto] gap-1 sm:grid-cols-[13.5rem_minmax(0,1fr)_auto]">
      <Select
        id={`${draft.key}-do`}
        aria-label={t('Action {number}', { number })}
        value={kind}
        options={translated(ACTION_KINDS).filter(({ value }) => value !== 'set' || names.fields.length > 0)}
        onValue={(next) => onChange({ ...draft, do: next, target: '', value: undefined })}
      />
      <div className="grid content-start gap-2 max-sm:order-last max-sm:col-span-2">
        {kind === 'tell' ? (
          <Recipients draft={draft} names={names} number={number} onChange={onChange} />
        ) : (
          <Select
            {...invalid}
            id={draft.key}
            aria-label={t('Value of action {number}', { number })}
            value={target}
            options={things.map(({ id, name }) => ({ value: id, label: name }))}
            onValue={(id) => onChange({ ...draft, target: id, value: undefined })}
          />
        )}
        {field ? (
          <FieldValueInput
            key={field.id}
            field={field}
            people={names.people}
            initial={draft.value}
            onValue={(value) => onChange({ ...draft, value })}
          />
        ) : null}
      </div>
      {onRemove ? (
        <IconButton icon={X} label={t('Remove action {number}', { number })} size="icon" onClick={onRemove} />
      ) : (
        <span aria-hidden className="size-9" />
      )}
    </li>
  )
}

function Recipients({
  draft,
  names,
  number,
  onChange,
}: Pick<ActionRowProps, 'draft' | 'names' | 'number' | 'onChange'>) {
  const { everybody, people } = draft
  return (
    <>
      <Select
        id={draft.key}
        aria-label={t('Value of action {number}', { number })}
        value={everybody ? 'everybody' : 'people'}
        options={[
          { value: 'everybody', label: t('Anyone who can see it') },
          { value: 'people', label: t('These people, if they can see it') },
        ]}
        onValue={(value) => onChange({ ...draft, everybody: value === 'everybody' })}
      />
      {everybody ? null : (
        <fieldset className="grid max-h-48 gap-0.5 overflow-y-auto rounded-md border border-line px-3 py-1.5">
          <legend className="sr-only">{t('People and permissions')}</legend>
          {names.people.map(({ id, name }) => (
            <LabelledCheckbox
              key={id}
              className="min-h-8"
              checked={people.includes(id)}
              onChange={(checked) =>
                onChange({ ...draft, people: checked ? [...people, id] : people.filter((one) => one !== id) })
              }
            >
              {name}
            </LabelledCheckbox>
          ))}
        </fieldset>
      )}
    </>
  )
}
