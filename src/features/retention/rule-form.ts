import type { RuleTerms } from './mutations.ts'
import type { Rule } from './queries.ts'

/** A rule as form values: numbers as typed.
 *  @property moves Whether documents are moved to the trash. @property keeps Whether they are kept for some years.
 *  @property since Start of the period: `added`, `changed`, or the id of a date field. */
export type RuleForm = {
  moves: boolean
  after: string
  unit: RuleTerms['trash_unit']
  since: string
  trashDays: string
  keeps: boolean
  years: string
}

/** @param rule Undefined for a new one. */
export const formOf = (rule: Rule | undefined): RuleForm => ({
  moves: rule ? rule.trash_after !== null : true,
  after: String(rule?.trash_after ?? 7),
  unit: (rule?.trash_unit ?? 'year') as RuleTerms['trash_unit'],
  since: rule?.basis === 'field' ? (rule.field_id ?? '') : (rule?.basis ?? 'added'),
  trashDays: String(rule?.trash_days ?? 30),
  keeps: rule ? rule.keep_years !== null : false,
  years: String(rule?.keep_years ?? 10),
})

export function toTerms({ moves, after, unit, since, trashDays, keeps, years }: RuleForm): RuleTerms {
  const isOwn = since === 'added' || since === 'changed'
  return {
    trash_after: moves ? Number(after) : null,
    trash_unit: unit,
    basis: isOwn ? since : 'field',
    field_id: isOwn ? null : since,
    trash_days: Number(trashDays),
    keep_years: keeps ? Number(years) : null,
  }
}
