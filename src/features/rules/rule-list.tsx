import { ArrowDown, ArrowUp, FlaskConical, History, Pencil, Trash2, TriangleAlert } from 'lucide-react'
import { IconButton } from '../../components/button.tsx'
import { Checkbox } from '../../components/checkbox.tsx'
import { useAction } from '../../domain/failure-toast.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { classNames } from '../../lib/ui/class-names.ts'
import { showToast } from '../../lib/ui/toast.ts'
import { deleteRule, orderRules, saveRule, turnRule } from './mutations.ts'
import type { Names, Rule } from './rule.ts'
import { actionSentence, conditionSentence, problemSentence, whenSentence } from './sentences.ts'

export type RuleTask = { open: 'edit' | 'trial' | 'runs'; rule: Rule }

type RuleListProps = {
  library: string
  names: Names
  rules: readonly Rule[]
  onTask: (task: RuleTask) => void
}

export function RuleList({ library, names, rules, onTask }: RuleListProps) {
  // Serialized, so that the last choice wins.
  const scope = { id: `rules of ${library}` }
  const turning = useAction(turnRule, { scope })
  const ordering = useAction(orderRules, { scope })
  const adding = useAction(saveRule)
  const deletion = useAction(deleteRule)
  const move = (from: number, by: number) => {
    const ids = rules.map(({ id }) => id)
    ids.splice(from + by, 0, ...ids.splice(from, 1))
    ordering.mutate({ library, rules: ids })
  }
  const remove = ({ id, problem, ...rule }: Rule) =>
    deletion.mutate(
      { library, rule: id },
      {
        onSuccess: () =>
          showToast({
            title: t('The rule “{name}” is deleted', { name: rule.name }),
            // A rule with missing references can't be saved again.
            ...(problem === null
              ? { action: { label: t('Undo'), onClick: () => adding.mutate({ library, rule }) } }
              : {}),
          }),
      },
    )
  return (
    <ol aria-label={t('Rules')} className="divide-y divide-line rounded-lg border border-line bg-surface">
      {rules.map((rule, index) => (
        <li key={rule.id} className="flex items-start gap-3 p-4">
          <Checkbox
            className="mt-1"
            aria-label={t('“{name}” is on', { name: rule.name })}
            checked={turning.isPending && turning.variables.rule === rule.id ? turning.variables.on : rule.is_on}
            onChange={({ target }) => turning.mutate({ library, rule: rule.id, on: target.checked })}
          />
          <div className="min-w-0 flex-1">
            <div className="flex flex-wrap items-start justify-between gap-x-3 gap-y-1">
              <h2
                dir="auto"
                className={classNames('min-w-0 font-medium [overflow-wrap:anywhere]', !rule.is_on && 'text-ink-soft')}
              >
                {rule.name}
              </h2>
              <Tools
                rule={rule}
                onUp={index > 0 ? () => move(index, -1) : undefined}
                onDown={index < rules.length - 1 ? () => move(index, 1) : undefined}
                onTask={onTask}
                onDelete={() => remove(rule)}
              />
            </div>
            <p className="mt-1 text-ink-soft text-sm [overflow-wrap:anywhere]">{whenSentence(rule, names)}</p>
            {rule.conditions.length > 0 ? (
              <p className="text-ink-soft text-sm [overflow-wrap:anywhere]">
                {rule.conditions.map((condition) => conditionSentence(condition, names)).join(' · ')}
              </p>
            ) : null}
            <p className="text-sm [overflow-wrap:anywhere]">
              <span aria-hidden className="inline-block rtl:-scale-x-100">
                →
              </span>{' '}
              {rule.actions.map((action) => actionSentence(action, names)).join(' · ')}
            </p>
            {rule.problem ? (
              <p className="mt-2 flex gap-2 text-danger text-sm">
                <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
                {problemSentence(rule.problem)}
              </p>
            ) : null}
          </div>
        </li>
      ))}
    </ol>
  )
}

type ToolsProps = {
  rule: Rule
  onUp: (() => void) | undefined
  onDown: (() => void) | undefined
  onTask: (task: RuleTask) => void
  onDelete: () => void
}

function Tools({ rule, onUp, onDown, onTask, onDelete }: ToolsProps) {
  const { name } = rule
  const tools = [
    { label: t('Move “{name}” up', { name }), icon: ArrowUp, disabled: !onUp, onClick: () => onUp?.() },
    { label: t('Move “{name}” down', { name }), icon: ArrowDown, disabled: !onDown, onClick: () => onDown?.() },
    {
      label: t('Try “{name}” on existing documents', { name }),
      icon: FlaskConical,
      disabled: rule.problem !== null,
      onClick: () => onTask({ open: 'trial', rule }),
    },
    { label: t('Latest runs of “{name}”', { name }), icon: History, onClick: () => onTask({ open: 'runs', rule }) },
    { label: t('Edit “{name}”', { name }), icon: Pencil, onClick: () => onTask({ open: 'edit', rule }) },
    { label: t('Delete the rule “{name}”', { name }), icon: Trash2, onClick: onDelete },
  ]
  return (
    <div className="-me-2 -mt-1 ms-auto flex">
      {tools.map(({ label, icon: Icon, disabled = false, onClick }) => (
        <IconButton key={label} icon={Icon} label={label} title={label} disabled={disabled} onClick={onClick} />
      ))}
    </div>
  )
}
