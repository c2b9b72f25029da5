import { formatCondition } from '../../domain/field-conditions.ts'
import {
  type ActionDraft,
  actionOf,
  type ConditionDraft,
  conditionOf,
  draftOfAction,
  draftOfCondition,
  newAction,
} from './draft.ts'
import type { Names, Rule, RuleDraft } from './rule.ts'
import { eventOf, type RuleEvent } from './sentences.ts'

/** A rule as form values. @property place A collection's id; empty for the whole library. */
export type RuleForm = {
  name: string
  event: RuleEvent
  place: string
  includesInside: boolean
  conditions: readonly ConditionDraft[]
  actions: readonly ActionDraft[]
}

/** @param rule Undefined for a new one. */
export function formOf(rule: Rule | undefined, names: Names): RuleForm {
  if (!rule)
    return { name: '', event: 'added', place: '', includesInside: true, conditions: [], actions: [newAction()] }
  return {
    name: rule.name,
    event: eventOf(rule),
    place: rule.collection_id ?? '',
    includesInside: rule.includes_inside,
    conditions: rule.conditions.map((condition) =>
      draftOfCondition(condition, ({ on, field: id, ...asked }) => {
        const field = names.fields.find((one) => one.id === id)
        return field ? formatCondition(asked, field, names.people) : ''
      }),
    ),
    actions: rule.actions.map(draftOfAction),
  }
}

/** Returns the form's rule; undefined while a condition or action is incomplete. @param rule The rule being changed. */
export function ruleOf(form: RuleForm, names: Names, rule: Rule | undefined): RuleDraft | undefined {
  const conditions = form.conditions.map((draft) => conditionOf(draft, names)).filter((one) => one !== undefined)
  const actions = form.actions.map((draft) => actionOf(draft, names)).filter((one) => one !== undefined)
  if (conditions.length < form.conditions.length || actions.length < form.actions.length) return undefined
  return {
    ...(rule ? { id: rule.id } : {}),
    name: form.name.trim(),
    is_on: rule?.is_on ?? true,
    on_added: form.event !== 'moved',
    on_moved: form.event !== 'added',
    collection_id: form.place || null,
    includes_inside: form.includesInside,
    conditions,
    actions,
  }
}
