import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/checkbox.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Field as Labelled } from '../../components/field.tsx'
import { Input } from '../../components/input.tsx'
import { Select } from '../../components/select.tsx'
import { namedValues, type Person } from '../../domain/field-conditions.ts'
import { type Field, type FieldInput, parseNumber } from '../../domain/fields.ts'
import { t } from '../../lib/i18n/i18n.ts'

type FillDialogProps = {
  title: string
  fields: readonly Field[]
  people: readonly Person[]
  onSet: (field: Field, value: FieldInput) => void
  onClose: () => void
}

/** Sets one field of many documents to the same value. Mounted while it is open. */
export function FillDialog({ title, fields, people, onSet, onClose }: FillDialogProps) {
  const [chosen, setChosen] = useState(fields[0]?.id ?? '')
  const [typed, setTyped] = useState('')
  const [ids, setIds] = useState<readonly string[]>([])
  const field = fields.find(({ id }) => id === chosen)
  if (!field) return null
  const options = namedValues(field, people)
  const isNamed = field.kind === 'choice' || field.kind === 'person'
  const number = parseNumber(typed)
  const value: FieldInput = isNamed ? ids : field.kind === 'number' ? (number ?? null) : typed.trim()
  const isWrong = field.kind === 'number' && typed.trim() !== '' && number === undefined
  const isEmpty = isNamed ? ids.length === 0 : typed.trim() === ''
  const finish = (set: FieldInput) => {
    onSet(field, set)
    onClose()
  }
  return (
    <Dialog open onOpenChange={onClose} title={title}>
      <form
        className="grid gap-5"
        onSubmit={(event) => {
          event.preventDefault()
          if (!isWrong && !isEmpty) finish(value)
        }}
      >
        <Labelled label={t('Field')}>
          {(control) => (
            <Select
              {...control}
              value={chosen}
              options={fields.map(({ id, name }) => ({ value: id, label: name }))}
              onValue={(id) => {
                setChosen(id)
                setTyped('')
                setIds([])
              }}
            />
          )}
        </Labelled>
        {isNamed && field.takes_several ? (
          <fieldset className="grid max-h-[40dvh] gap-1 overflow-y-auto">
            <legend className="mb-1.5 font-medium text-ink text-sm">{t('Value')}</legend>
            {options.map(({ id, name }) => (
              // biome-ignore lint/a11y/noLabelWithoutControl: the checkbox is inside
              <label key={id} className="flex min-h-9 items-center gap-2.5 text-sm">
                <Checkbox
                  checked={ids.includes(id)}
                  onChange={({ target }) => setIds(target.checked ? [...ids, id] : ids.filter((value) => value !== id))}
                />
                {name}
              </label>
            ))}
          </fieldset>
        ) : (
          <Labelled label={t('Value')} error={isWrong ? t('This takes a number.') : undefined}>
            {(control) =>
              isNamed ? (
                <Select
                  {...control}
                  value={ids[0] ?? ''}
                  options={options.map(({ id, name }) => ({ value: id, label: name }))}
                  onValue={(id) => setIds([id])}
                />
              ) : (
                <Input
                  {...control}
                  type={field.kind === 'date' ? 'date' : 'text'}
                  inputMode={field.kind === 'number' ? 'decimal' : undefined}
                  maxLength={2000}
                  value={typed}
                  onChange={({ target }) => setTyped(target.value)}
                />
              )
            }
          </Labelled>
        )}
        <div className="flex flex-wrap justify-end gap-2">
          <Button look="quiet" onClick={() => finish(null)}>
            {t('Remove the value')}
          </Button>
          <Button type="submit" look="primary" disabled={isWrong || isEmpty}>
            {t('Set')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
