import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { FieldValueInput } from '../../components/field-value-input.tsx'
import { Form } from '../../components/form.tsx'
import { SelectField } from '../../components/select.tsx'
import type { Person } from '../../domain/field-conditions.ts'
import type { Field, FieldInput } from '../../domain/fields.ts'
import { t } from '../../lib/i18n/i18n.ts'

type FillDialogProps = {
  title: string
  fields: readonly Field[]
  people: readonly Person[]
  onSet: (field: Field, value: FieldInput) => void
  onClose: () => void
}

/** Sets a field of many documents to one value. Mounted only while open. */
export function FillDialog({ title, fields, people, onSet, onClose }: FillDialogProps) {
  const [chosen, setChosen] = useState(fields[0]?.id ?? '')
  const [value, setValue] = useState<FieldInput>()
  const field = fields.find(({ id }) => id === chosen)
  if (!field) return null
  const finish = (set: FieldInput) => {
    onSet(field, set)
    onClose()
  }
  return (
    <Dialog open onOpenChange={onClose} title={title}>
      <Form
        onSubmit={() => {
          if (value !== undefined) finish(value)
        }}
      >
        <SelectField
          label={t('Field')}
          value={chosen}
          options={fields.map(({ id, name }) => ({ value: id, label: name }))}
          onValue={(id) => {
            setChosen(id)
            setValue(undefined)
          }}
        />
        <FieldValueInput key={field.id} field={field} people={people} onValue={setValue} />
        <div className="flex flex-wrap justify-end gap-2">
          <Button look="quiet" onClick={() => finish(null)}>
            {t('Remove the value')}
          </Button>
          <Button type="submit" look="primary" disabled={value === undefined}>
            {t('Set')}
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}
