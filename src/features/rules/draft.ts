import { parseCondition } from '../../domain/field-conditions.ts'
import type { FieldInput } from '../../domain/fields.ts'
import type { Names, RuleAction, RuleCondition } from './rule.ts'

/** A condition being edited. `value` is what was chosen or typed, `field` a field's id. */
export type ConditionDraft = { key: string; on: RuleCondition['on']; field: string; value: string }

/** An action being edited. `target` is the id of a tag, collection or field. */
export type ActionDraft = {
  key: string
  do: RuleAction['do']
  target: string
  value: FieldInput | undefined
  people: readonly string[]
  everybody: boolean
}

export const newCondition = (): ConditionDraft => ({ key: crypto.randomUUID(), on: 'title', field: '', value: '' })
export const newAction = (): ActionDraft => ({
  key: crypto.randomUUID(),
  do: 'tag',
  target: '',
  value: undefined,
  people: [],
  everybody: true,
})

export const NO_VALUE = 'none'

/** @param format Formats a field's condition as people type it. */
export function draftOfCondition(
  condition: RuleCondition,
  format: (condition: Extract<RuleCondition, { on: 'field' }>) => string,
): ConditionDraft {
  if (condition.on !== 'field') return { ...newCondition(), ...condition }
  const { field, any, empty } = condition
  return { ...newCondition(), on: 'field', field, value: empty ? NO_VALUE : (any?.[0] ?? format(condition)) }
}

export function draftOfAction(action: RuleAction): ActionDraft {
  const draft = { ...newAction(), do: action.do }
  switch (action.do) {
    case 'tag':
      return { ...draft, target: action.tag }
    case 'move':
      return { ...draft, target: action.collection }
    case 'set':
      return { ...draft, target: action.field, value: action.value }
    case 'tell':
      return 'people' in action ? { ...draft, everybody: false, people: action.people } : draft
  }
}

/** @returns undefined while it's incomplete. */
export function conditionOf({ on, field: id, value }: ConditionDraft, names: Names): RuleCondition | undefined {
  if (on !== 'field') return value.trim() === '' ? undefined : { on, value: value.trim() }
  const field = names.fields.find((one) => one.id === id)
  if (!field || value.trim() === '') return undefined
  const isNamed = field.kind === 'choice' || field.kind === 'person'
  const asked = isNamed
    ? value === NO_VALUE
      ? ({ empty: true } as const)
      : { any: [value] }
    : parseCondition(field, value)
  return asked && { on, field: id, ...asked }
}

/** @returns undefined while it's incomplete. */
export function actionOf(
  { do: kind, target, value, people, everybody }: ActionDraft,
  names: Names,
): RuleAction | undefined {
  const has = (among: readonly { id: string }[]) => among.some(({ id }) => id === target)
  switch (kind) {
    case 'tag':
      return has(names.tags) ? { do: kind, tag: target } : undefined
    case 'move':
      return has(names.collections) ? { do: kind, collection: target } : undefined
    case 'set': {
      if (!has(names.fields) || value === undefined || value === null) return undefined
      return { do: kind, field: target, value: typeof value === 'object' ? [...value] : value }
    }
    case 'tell':
      if (everybody) return { do: kind, everybody }
      return people.length > 0 ? { do: kind, people: [...people] } : undefined
  }
}
