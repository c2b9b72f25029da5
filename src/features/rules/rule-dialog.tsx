import { useMutation } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { LabelledCheckbox } from '../../components/checkbox.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { TextField } from '../../components/field.tsx'
import { Form, FormActions } from '../../components/form.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { Select } from '../../components/select.tsx'
import { t, translated } from '../../lib/i18n/i18n.ts'
import { ActionRow } from './action-row.tsx'
import { ConditionRow } from './condition-row.tsx'
import { type ActionDraft, type ConditionDraft, newAction, newCondition } from './draft.ts'
import { saveRule } from './mutations.ts'
import { MAX_PARTS, type Names, type Rule } from './rule.ts'
import { formOf, type RuleForm, ruleOf } from './rule-form.ts'
import { EVENTS } from './sentences.ts'

type RuleDialogProps = {
  library: string
  names: Names
  /** Undefined for a new one. */
  rule: Rule | undefined
  onClose: () => void
}

/** Edits a rule's trigger, conditions and actions. Mounted only while open. */
export function RuleDialog({ library, names, rule, onClose }: RuleDialogProps) {
  const [form, setForm] = useState(() => formOf(rule, names))
  const [isChecked, setChecked] = useState(false)
  const saving = useMutation({ ...saveRule, onSuccess: onClose })
  const set = (change: Partial<RuleForm>) => setForm({ ...form, ...change })
  const draft = ruleOf(form, names, rule)
  const submit = () => {
    setChecked(true)
    if (draft) saving.mutate({ library, rule: draft })
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={rule ? t('Edit rule') : t('New rule')}
      className="base:w-[min(42rem,calc(100vw-2rem))]"
    >
      <Form onSubmit={submit} className="grid gap-6">
        <TextField
          label={t('Name')}
          required
          column="rules.name"
          pattern=".*\S.*"
          value={form.name}
          onValue={(value) => set({ name: value })}
        />
        <When form={form} names={names} onChange={set} />
        <Conditions
          drafts={form.conditions}
          names={names}
          isChecked={isChecked}
          onChange={(conditions) => set({ conditions })}
        />
        <Actions drafts={form.actions} names={names} isChecked={isChecked} onChange={(actions) => set({ actions })} />
        {isChecked && !draft ? (
          <Notice tone="error">{t('Complete or remove the highlighted conditions and actions.')}</Notice>
        ) : (
          <FailureNotice error={saving.error} />
        )}
        <FormActions action={rule ? t('Save') : t('Create')} busy={saving.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
  )
}

type WhenProps = { form: RuleForm; names: Names; onChange: (change: Partial<RuleForm>) => void }

function When({ form: { event, place, includesInside }, names, onChange }: WhenProps) {
  const isPlaceGone = place !== '' && !names.collections.some(({ id }) => id === place)
  return (
    <Part title={t('When')}>
      <Select
        id="rule-event"
        aria-label={t('When')}
        value={event}
        options={translated(EVENTS)}
        onValue={(chosen) => onChange({ event: chosen })}
      />
      <Select
        id="rule-place"
        aria-label={t('Where')}
        value={place}
        options={[
          { value: '', label: t('In the whole library') },
          ...names.collections.map(({ id, name: label }) => ({ value: id, label })),
          ...(isPlaceGone ? [{ value: place, label: t('Deleted collection') }] : []),
        ]}
        onValue={(chosen) => onChange({ place: chosen })}
      />
      {place === '' ? null : (
        <LabelledCheckbox checked={includesInside} onChange={(inside) => onChange({ includesInside: inside })}>
          {t('Include nested collections')}
        </LabelledCheckbox>
      )}
    </Part>
  )
}

type DraftsProps<Draft> = {
  drafts: readonly Draft[]
  names: Names
  isChecked: boolean
  onChange: (drafts: readonly Draft[]) => void
}

function Conditions({ drafts, names, isChecked, onChange }: DraftsProps<ConditionDraft>) {
  return (
    <Part title={t('All conditions apply')}>
      {drafts.length === 0 ? (
        <p className="text-ink-faint text-sm">{t('Without a condition, it applies to every document.')}</p>
      ) : null}
      <ul className="grid gap-3">
        {drafts.map((draft, index) => (
          <ConditionRow
            key={draft.key}
            number={index + 1}
            draft={draft}
            names={names}
            isChecked={isChecked}
            onChange={(next) => onChange(drafts.with(index, next))}
            onRemove={() => onChange(drafts.toSpliced(index, 1))}
          />
        ))}
      </ul>
      {drafts.length < MAX_PARTS ? (
        <Add label={t('Add a condition')} onAdd={() => onChange([...drafts, newCondition()])} />
      ) : null}
      {drafts.some(({ on }) => on === 'text') ? (
        <p className="text-[0.8125rem] text-ink-faint">
          {t('Once the document has been read, its text is known and the rule is tried.')}
        </p>
      ) : null}
    </Part>
  )
}

function Actions({ drafts, names, isChecked, onChange }: DraftsProps<ActionDraft>) {
  return (
    <Part title={t('Then')}>
      <ul className="grid gap-3">
        {drafts.map((draft, index) => (
          <ActionRow
            key={draft.key}
            number={index + 1}
            draft={draft}
            names={names}
            isChecked={isChecked}
            onChange={(next) => onChange(drafts.with(index, next))}
            onRemove={drafts.length > 1 ? () => onChange(drafts.toSpliced(index, 1)) : undefined}
          />
        ))}
      </ul>
      {drafts.length < MAX_PARTS ? (
        <Add label={t('Add an action')} onAdd={() => onChange([...drafts, newAction()])} />
      ) : null}
    </Part>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset className="grid gap-2.5">
      <legend className="mb-2 font-medium text-ink text-sm">{title}</legend>
      {children}
    </fieldset>
  )
}

function Add({ label, onAdd }: { label: string; onAdd: () => void }) {
  return (
    <div>
      <Button icon={Plus} size="small" onClick={onAdd}>
        {label}
      </Button>
    </div>
  )
}
