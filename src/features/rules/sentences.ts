import { Constants } from '../../../supabase/functions/_shared/database.ts'
import { FILE_TYPES } from '../../domain/document-filter.ts'
import { formatCondition } from '../../domain/field-conditions.ts'
import { KIND_LABELS } from '../../domain/filters.ts'
import { msg, t } from '../../lib/i18n/i18n.ts'
import type { Names, Rule, RuleAction, RuleCondition } from './rule.ts'

export const KINDS = Constants.public.Enums.document_kind.map((value) => ({ value, label: KIND_LABELS[value] }))

export const TYPES = Object.entries(FILE_TYPES).map(([value, label]) => ({ value, label }))

export const SUBJECTS = [
  { value: 'title', label: msg('Title contains') },
  { value: 'text', label: msg('Text contains') },
  { value: 'kind', label: msg('Kind') },
  { value: 'type', label: msg('File type') },
  { value: 'address', label: msg('Address contains') },
  { value: 'added_by', label: msg('Added by') },
  { value: 'tag', label: msg('Has the tag') },
  { value: 'field', label: msg('Field') },
] as const satisfies readonly { value: RuleCondition['on']; label: string }[]

export const ACTION_KINDS = [
  { value: 'tag', label: msg('Add a tag') },
  { value: 'move', label: msg('Move to a collection') },
  { value: 'set', label: msg('Set a field') },
  { value: 'tell', label: msg('Notify people') },
] as const satisfies readonly { value: RuleAction['do']; label: string }[]

type Named = { id: string; name: string }
const nameOf = (id: string, named: readonly Named[]): string => named.find((one) => one.id === id)?.name ?? '…'
const labelOf = (value: string, choices: readonly { value: string; label: string }[]): string =>
  t(choices.find((choice) => choice.value === value)?.label ?? value)

export const EVENTS = [
  { value: 'added', label: msg('A document is added') },
  { value: 'moved', label: msg('A document is moved there') },
  { value: 'both', label: msg('A document is added or moved there') },
] as const
export type RuleEvent = (typeof EVENTS)[number]['value']

export const eventOf = ({ on_added, on_moved }: Rule): RuleEvent =>
  on_added && on_moved ? 'both' : on_moved ? 'moved' : 'added'

export function whenSentence(rule: Rule, names: Names): string {
  const { collection_id: id, includes_inside } = rule
  const place = id === null ? '' : nameOf(id, names.collections)
  const where =
    id === null
      ? t('In the whole library')
      : includes_inside
        ? t('In “{place}” and the collections inside it', { place })
        : t('In “{place}”', { place })
  return `${where} · ${labelOf(eventOf(rule), EVENTS)}`
}

export function conditionSentence(condition: RuleCondition, names: Names): string {
  if (condition.on === 'field') {
    const { on, field: id, ...asked } = condition
    const field = names.fields.find((one) => one.id === id)
    return `${field?.name ?? '…'}: ${field ? formatCondition(asked, field, names.people) : '…'}`
  }
  const { on, value } = condition
  const shown =
    on === 'kind'
      ? labelOf(value, KINDS)
      : on === 'type'
        ? labelOf(value, TYPES)
        : on === 'added_by'
          ? nameOf(value, names.people)
          : on === 'tag'
            ? nameOf(value, names.tags)
            : t('“{words}”', { words: value })
  return `${labelOf(on, SUBJECTS)}: ${shown}`
}

export function actionSentence(action: RuleAction, names: Names): string {
  switch (action.do) {
    case 'tag':
      return t('Add the tag “{name}”', { name: nameOf(action.tag, names.tags) })
    case 'move':
      return t('Move to “{name}”', { name: nameOf(action.collection, names.collections) })
    case 'set':
      return t('Set “{name}”', { name: nameOf(action.field, names.fields) })
    case 'tell':
      return 'everybody' in action
        ? t('Notify everyone who can see it')
        : t('Notify {names}', { names: action.people.map((id) => nameOf(id, names.people)).join(', ') })
  }
}

export function problemSentence(problem: NonNullable<Rule['problem']>): string {
  switch (problem) {
    case 'owner':
      return t('Paused: its owner can no longer edit this library. Save it to take it over.')
    case 'collection':
      return t('Paused: one of its collections was deleted. Edit it to choose another.')
    case 'tag':
      return t('Paused: one of its tags was deleted. Edit it to choose another.')
    case 'field':
      return t('Paused: one of its fields was deleted. Edit it to choose another.')
    case 'option':
      return t('Paused: one of its options was deleted. Edit it to choose another.')
    case 'member':
      return t('Paused: a person it names left the library. Edit it to choose another.')
  }
}
