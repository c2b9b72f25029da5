import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { LabelledCheckbox } from '../../components/checkbox.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { FailureNotice } from '../../components/failure-notice.tsx'
import { Field } from '../../components/field.tsx'
import { Input } from '../../components/input.tsx'
import { Select } from '../../components/select.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { type RuleTerms, saveRule } from './mutations.ts'
import type { Rule } from './queries.ts'

type RuleDialogProps = {
  library: string
  /** Undefined for a new one. */
  rule: Rule | undefined
  /** Where a new rule can hold: the collections without one, and null for the whole library. */
  places: readonly { id: string | null; name: string }[]
  /** The fields of the library that hold a date. */
  dates: readonly { id: string; name: string }[]
  onClose: () => void
}

/** What a rule does and where. Mounted while it is open. */
export function RuleDialog({ library, rule, places, dates, onClose }: RuleDialogProps) {
  const [place, setPlace] = useState(places[0]?.id ?? '')
  const [moves, setMoves] = useState(rule ? rule.trash_after !== null : true)
  const [after, setAfter] = useState(String(rule?.trash_after ?? 7))
  const [unit, setUnit] = useState((rule?.trash_unit ?? 'year') as RuleTerms['trash_unit'])
  const [since, setSince] = useState(rule?.basis === 'field' ? (rule.field_id ?? '') : (rule?.basis ?? 'added'))
  const [trashDays, setTrashDays] = useState(String(rule?.trash_days ?? 30))
  const [keeps, setKeeps] = useState(rule ? rule.keep_years !== null : false)
  const [years, setYears] = useState(String(rule?.keep_years ?? 10))
  const saving = useMutation({ ...saveRule, onSuccess: onClose })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const isField = since !== 'added' && since !== 'changed'
    saving.mutate({
      library,
      rule,
      collection: place || null,
      terms: {
        trash_after: moves ? Number(after) : null,
        trash_unit: unit,
        basis: isField ? 'field' : since,
        field_id: isField ? since : null,
        trash_days: Number(trashDays),
        keep_years: keeps ? Number(years) : null,
      },
    })
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={rule ? t('Change the rule') : t('A new rule')}
      description={rule ? null : t('It does nothing until you have seen what it would move and switch it on.')}
    >
      <form onSubmit={submit} className="grid gap-5">
        <FailureNotice error={saving.error} />
        {rule ? null : (
          <Field
            label={t('Where it holds')}
            hint={t('In the collections inside, too, unless they have a rule of their own.')}
          >
            {(control) => (
              <Select
                {...control}
                value={place}
                onValue={setPlace}
                options={places.map(({ id, name }) => ({ value: id ?? '', label: name }))}
              />
            )}
          </Field>
        )}
        <fieldset className="grid gap-3">
          <LabelledCheckbox checked={moves} onChange={setMoves}>
            {t('Move documents to the trash')}
          </LabelledCheckbox>
          {moves ? (
            <div className="grid grid-cols-[5rem_minmax(0,1fr)] gap-2 sm:grid-cols-[5rem_8rem_minmax(0,1fr)]">
              <Whole label={t('After how many')} most={36_500} value={after} onValue={setAfter} />
              <Select
                id="unit"
                aria-label={t('Unit')}
                value={unit}
                onValue={setUnit}
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
                onValue={setSince}
                options={[
                  { value: 'added', label: t('after it was added') },
                  { value: 'changed', label: t('after its last change') },
                  ...dates.map(({ id, name }) => ({
                    value: id,
                    label: t('after the date in “{field}”', { field: name }),
                  })),
                ]}
              />
            </div>
          ) : null}
        </fieldset>
        <Field label={t('Days that the trash keeps them')} hint={t('7 to 365')}>
          {(control) => (
            <Input
              {...control}
              type="number"
              required
              min={7}
              max={365}
              value={trashDays}
              onChange={(event) => setTrashDays(event.target.value)}
              className="w-28"
            />
          )}
        </Field>
        <fieldset className="grid gap-3">
          <LabelledCheckbox checked={keeps} onChange={setKeeps}>
            {t('Nobody deletes them for good before they are this old')}
          </LabelledCheckbox>
          {keeps ? (
            <span className="flex items-center gap-2 text-sm">
              <Whole label={t('Years')} most={100} value={years} onValue={setYears} />
              {t('years')}
            </span>
          ) : null}
        </fieldset>
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={onClose}>
            {t('Cancel')}
          </Button>
          <Button type="submit" look="primary" busy={saving.isPending}>
            {t('Save')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

type WholeProps = { label: string; most: number; value: string; onValue: (value: string) => void }

/** A whole number from 1 on. */
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
