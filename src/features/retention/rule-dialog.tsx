import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { LabelledCheckbox } from '../../components/checkbox.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { TextField } from '../../components/field.tsx'
import { Form, FormActions } from '../../components/form.tsx'
import { Input } from '../../components/input.tsx'
import { Select, SelectField } from '../../components/select.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { saveRule } from './mutations.ts'
import type { Rule } from './queries.ts'
import { formOf, type RuleForm, toTerms } from './rule-form.ts'

type RuleDialogProps = {
  library: string
  /** Undefined for a new one. */
  rule: Rule | undefined
  /** Collections without a rule, and null for the whole library. */
  places: readonly { id: string | null; name: string }[]
  dates: readonly { id: string; name: string }[]
  onClose: () => void
}

/** Edits a retention rule. Mounted only while open. */
export function RuleDialog({ library, rule, places, dates, onClose }: RuleDialogProps) {
  const [place, setPlace] = useState(places[0]?.id ?? '')
  const [form, setForm] = useState(() => formOf(rule))
  const set = (change: Partial<RuleForm>) => setForm({ ...form, ...change })
  const saving = useMutation({ ...saveRule, onSuccess: onClose })
  const submit = () => saving.mutate({ library, rule, collection: place || null, terms: toTerms(form) })
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={rule ? t('Change the rule') : t('New rule')}
      description={rule ? null : t('The rule stays off until you’ve previewed it and switched it on.')}
    >
      <Form onSubmit={submit} error={saving.error}>
        {rule ? null : (
          <SelectField
            label={t('Where it applies')}
            hint={t('Nested collections are included unless they have their own rule.')}
            value={place}
            onValue={setPlace}
            options={places.map(({ id, name }) => ({ value: id ?? '', label: name }))}
          />
        )}
        <TrashTerms form={form} dates={dates} onChange={set} />
        <TextField
          label={t('Days in the trash')}
          hint={t('7 to 365')}
          type="number"
          required
          min={7}
          max={365}
          value={form.trashDays}
          onValue={(trashDays) => set({ trashDays })}
          className="w-28"
        />
        <fieldset className="grid gap-3">
          <LabelledCheckbox checked={form.keeps} onChange={(keeps) => set({ keeps })}>
            {t('They can’t be deleted permanently before this age')}
          </LabelledCheckbox>
          {form.keeps ? (
            <span className="flex items-center gap-2 text-sm">
              <Whole label={t('Years')} most={100} value={form.years} onValue={(years) => set({ years })} />
              {t('years')}
            </span>
          ) : null}
        </fieldset>
        <FormActions action={t('Save')} busy={saving.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
  )
}

type TrashTermsProps = Pick<RuleDialogProps, 'dates'> & {
  form: RuleForm
  onChange: (change: Partial<RuleForm>) => void
}

function TrashTerms({ form: { moves, after, unit, since }, dates, onChange }: TrashTermsProps) {
  return (
    <fieldset className="grid gap-3">
      <LabelledCheckbox checked={moves} onChange={(isMoved) => onChange({ moves: isMoved })}>
        {t('Move documents to the trash')}
      </LabelledCheckbox>
      {moves ? (
        <div className="grid grid-cols-[5rem_minmax(0,1fr)] gap-2 sm:grid-cols-[5rem_8rem_minmax(0,1fr)]">
          <Whole label={t('How many')} most={36_500} value={after} onValue={(next) => onChange({ after: next })} />
          <Select
            id="unit"
            aria-label={t('Unit')}
            value={unit}
            onValue={(next) => onChange({ unit: next })}
            options={[
              { value: 'day', label: t('days') },
              { value: 'month', label: t('months') },
              { value: 'year', label: t('years') },
            ]}
          />
          <Select
            id="since"
            aria-label={t('Counted from')}
            className="max-sm:col-span-2"
            value={since}
            onValue={(next) => onChange({ since: next })}
            options={[
              { value: 'added', label: t('after being added') },
              { value: 'changed', label: t('after their last change') },
              ...dates.map(({ id, name }) => ({
                value: id,
                label: t('after the date in “{field}”', { field: name }),
              })),
            ]}
          />
        </div>
      ) : null}
    </fieldset>
  )
}

type WholeProps = { label: string; most: number; value: string; onValue: (value: string) => void }

function Whole({ label, most, value, onValue }: WholeProps) {
  return (
    <Input
      type="number"
      aria-label={label}
      required
      min={1}
      max={most}
      value={value}
      onChange={(event) => onValue(event.target.value)}
      className="w-20"
    />
  )
}
