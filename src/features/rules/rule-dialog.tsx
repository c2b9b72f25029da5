import { useMutation } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { LabelledCheckbox } from '../../components/checkbox.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Field as Labelled } from '../../components/field.tsx'
import { Input } from '../../components/input.tsx'
import { Notice } from '../../components/notice.tsx'
import { Select } from '../../components/select.tsx'
import { describeFailure } from '../../domain/failure.ts'
import { formatCondition } from '../../domain/field-conditions.ts'
import { t, translated } from '../../lib/i18n/i18n.ts'
import { ActionRow } from './action-row.tsx'
import { ConditionRow } from './condition-row.tsx'
import { actionOf, conditionOf, draftOfAction, draftOfCondition, newAction, newCondition } from './draft.ts'
import { saveRule } from './mutations.ts'
import { MOST_PARTS, type Names, type Rule } from './rule.ts'
import { EVENTS, eventOf, type RuleEvent } from './sentences.ts'

type RuleDialogProps = {
  library: string
  names: Names
  /** Undefined for a new one. */
  rule: Rule | undefined
  onClose: () => void
}

/** A rule: when it begins, what a document must meet, and what is done then. Mounted while it is open. */
export function RuleDialog({ library, names, rule, onClose }: RuleDialogProps) {
  const [name, setName] = useState(rule?.name ?? '')
  const [event, setEvent] = useState<RuleEvent>(rule ? eventOf(rule) : 'added')
  const [place, setPlace] = useState(rule?.collection_id ?? '')
  const [inside, setInside] = useState(rule?.includes_inside ?? true)
  const [conditions, setConditions] = useState(() =>
    (rule?.conditions ?? []).map((condition) =>
      draftOfCondition(condition, ({ on, field: id, ...asked }) => {
        const field = names.fields.find((one) => one.id === id)
        return field ? formatCondition(asked, field, names.people) : ''
      }),
    ),
  )
  const [actions, setActions] = useState(() => (rule ? rule.actions.map(draftOfAction) : [newAction()]))
  const [isChecked, setChecked] = useState(false)
  const saving = useMutation({ ...saveRule, onSuccess: onClose })
  const submit = (submission: FormEvent) => {
    submission.preventDefault()
    setChecked(true)
    const asked = conditions.map((draft) => conditionOf(draft, names)).filter((one) => one !== undefined)
    const done = actions.map((draft) => actionOf(draft, names)).filter((one) => one !== undefined)
    if (asked.length < conditions.length || done.length < actions.length) return
    saving.mutate({
      library,
      rule: {
        ...(rule ? { id: rule.id } : {}),
        name: name.trim(),
        is_on: rule?.is_on ?? true,
        on_added: event !== 'moved',
        on_moved: event !== 'added',
        collection_id: place || null,
        includes_inside: inside,
        conditions: asked,
        actions: done,
      },
    })
  }
  const isIncomplete =
    isChecked &&
    (conditions.some((draft) => !conditionOf(draft, names)) || actions.some((draft) => !actionOf(draft, names)))
  const refused = saving.error ? describeFailure(saving.error) : undefined
  const isPlaceGone = place !== '' && !names.collections.some(({ id }) => id === place)
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={rule ? t('Edit rule') : t('New rule')}
      className="base:w-[min(42rem,calc(100vw-2rem))]"
    >
      <form onSubmit={submit} className="grid gap-6">
        <Labelled label={t('Name')}>
          {(control) => (
            <Input
              {...control}
              required
              maxLength={100}
              pattern=".*\S.*"
              value={name}
              onChange={({ target }) => setName(target.value)}
            />
          )}
        </Labelled>
        <Part title={t('When')}>
          <Select
            id="rule-event"
            aria-label={t('When')}
            value={event}
            options={translated(EVENTS)}
            onValue={setEvent}
          />
          <Select
            id="rule-place"
            aria-label={t('Where')}
            value={place}
            options={[
              { value: '', label: t('In the whole library') },
              ...names.collections.map(({ id, name: label }) => ({ value: id, label })),
              ...(isPlaceGone ? [{ value: place, label: t('A collection that is gone') }] : []),
            ]}
            onValue={setPlace}
          />
          {place === '' ? null : (
            <LabelledCheckbox checked={inside} onChange={setInside}>
              {t('Also in the collections inside it')}
            </LabelledCheckbox>
          )}
        </Part>
        <Part title={t('With all of these conditions')}>
          {conditions.length === 0 ? (
            <p className="text-ink-faint text-sm">{t('Without a condition, every document counts.')}</p>
          ) : null}
          <ul className="grid gap-3">
            {conditions.map((draft, index) => (
              <ConditionRow
                key={draft.key}
                number={index + 1}
                draft={draft}
                names={names}
                isChecked={isChecked}
                onChange={(next) => setConditions(conditions.map((one) => (one.key === next.key ? next : one)))}
                onRemove={() => setConditions(conditions.filter(({ key }) => key !== draft.key))}
              />
            ))}
          </ul>
          {conditions.length < MOST_PARTS ? (
            <Add label={t('Add a condition')} onAdd={() => setConditions([...conditions, newCondition()])} />
          ) : null}
          {conditions.some(({ on }) => on === 'text') ? (
            <p className="text-[0.8125rem] text-ink-faint">
              {t('The text is known when the document has been read; the rule is tried then.')}
            </p>
          ) : null}
        </Part>
        <Part title={t('Then')}>
          <ul className="grid gap-3">
            {actions.map((draft, index) => (
              <ActionRow
                key={draft.key}
                number={index + 1}
                draft={draft}
                names={names}
                isChecked={isChecked}
                onChange={(next) => setActions(actions.map((one) => (one.key === next.key ? next : one)))}
                onRemove={
                  actions.length > 1 ? () => setActions(actions.filter(({ key }) => key !== draft.key)) : undefined
                }
              />
            ))}
          </ul>
          {actions.length < MOST_PARTS ? (
            <Add label={t('Add an action')} onAdd={() => setActions([...actions, newAction()])} />
          ) : null}
        </Part>
        {isIncomplete ? (
          <Notice tone="error">{t('Complete the conditions and actions that are marked, or remove them.')}</Notice>
        ) : refused ? (
          <Notice tone="error" title={refused.title}>
            {refused.advice}
          </Notice>
        ) : null}
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={onClose}>
            {t('Cancel')}
          </Button>
          <Button type="submit" look="primary" busy={saving.isPending}>
            {rule ? t('Save') : t('Create')}
          </Button>
        </div>
      </form>
    </Dialog>
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
      <Button size="small" onClick={onAdd}>
        <Plus aria-hidden />
        {label}
      </Button>
    </div>
  )
}
