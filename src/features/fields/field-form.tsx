import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { LabelledCheckbox } from '../../components/checkbox.tsx'
import { TextField } from '../../components/field.tsx'
import { Form, FormActions } from '../../components/form.tsx'
import { Notice } from '../../components/notice.tsx'
import { SelectField } from '../../components/select.tsx'
import { failureText } from '../../domain/failure.ts'
import { FIELD_KINDS, type Field, type FieldOption } from '../../domain/fields.ts'
import { keys } from '../../domain/keys.ts'
import { t, translated } from '../../lib/i18n/i18n.ts'
import { canTakeSeveral, draftOf, formOf, removedOptions } from './field-draft.ts'
import { saveField } from './mutations.ts'
import { OptionList } from './option-list.tsx'
import { countValues, kindLabel } from './queries.ts'

type FieldFormProps = {
  library: string
  collection: string
  /** Undefined for a new one. */
  field: Field | undefined
  onDone: () => void
}

/** A field's name, kind and options. The kind is fixed after creation. */
export function FieldForm({ library, collection, field, onDone }: FieldFormProps) {
  const [form, setForm] = useState(() => formOf(field))
  const set = (change: Partial<typeof form>) => setForm({ ...form, ...change })
  const { name, kind, takesSeveral, options } = form
  const saving = useMutation({ ...saveField, onSuccess: onDone })
  const submit = () => saving.mutate({ library, collection, field: draftOf(form, field) })
  return (
    <Form onSubmit={submit}>
      <TextField
        label={t('Name')}
        error={saving.error ? failureText(saving.error) : undefined}
        required
        column="collection_fields.name"
        pattern='[^"]*[^"\s][^"]*'
        title={t('1 to 60 characters, without quotation marks')}
        value={name}
        onValue={(value) => set({ name: value })}
      />
      {field ? (
        <p className="text-ink-soft text-sm">
          {t('Type: {kind}. A field’s type can’t be changed.', { kind: t(kindLabel(kind)) })}
        </p>
      ) : (
        <SelectField
          label={t('Type')}
          value={kind}
          options={translated(FIELD_KINDS)}
          onValue={(chosen) => set({ kind: chosen })}
        />
      )}
      {!field && canTakeSeveral(kind) ? (
        <LabelledCheckbox checked={takesSeveral} onChange={(several) => set({ takesSeveral: several })}>
          {t('Allow more than one value per document')}
        </LabelledCheckbox>
      ) : null}
      {kind === 'choice' ? (
        <OptionList options={options} onChange={(next) => set({ options: next })}>
          <LostValues library={library} options={removedOptions(field, options)} />
        </OptionList>
      ) : null}
      <FormActions action={field ? t('Save') : t('Create')} busy={saving.isPending} onCancel={onDone} />
    </Form>
  )
}

function LostValues({ library, options }: { library: string; options: readonly FieldOption[] }) {
  const ids = options.map(({ id }) => id)
  const { data: values } = useQuery({
    queryKey: [...keys.fields(library), 'lost', ids],
    queryFn: async () => {
      const counts = await Promise.all(ids.map((id) => countValues('option_id', id)))
      return counts.reduce((sum, count) => sum + count, 0)
    },
    enabled: ids.length > 0,
  })
  if (ids.length === 0 || !values) return null
  return <Notice tone="error">{t('Documents lose {values} values with the options you removed.', { values })}</Notice>
}
