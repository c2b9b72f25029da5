import { type Condition, parseCondition } from './condition.ts'
import type { Value, Values } from './evaluate.ts'
import type { RuleValue } from './explanation.ts'
import type { Command, Policy, Relation } from './relation.ts'

export type Rule = {
  readonly policy: Policy
  readonly part: 'using' | 'check'
  readonly condition: Condition
}

/** Rules that Postgres combines: a row passes if one permissive rule and every restrictive rule is true.
 *  @property purpose What the row passes for, such as `update`; `select` also for what a filter or RETURNING reads. */
export type RuleSet = {
  readonly purpose: Command
  readonly permissive: readonly Rule[]
  readonly restrictive: readonly Rule[]
}

/** Returns the rules for existing rows: which of them a command may use.
 *  @param reads Whether the command reads columns, in a filter or RETURNING, so that SELECT policies apply too.
 *  @see PostgreSQL's CREATE POLICY, "Policies Applied by Command Type" */
export function rulesForOldRows(relation: Relation, command: Exclude<Command, 'insert'>, reads: boolean): RuleSet[] {
  const own = ruleSet(relation, command, ({ using }) => ({ part: 'using', expression: using }))
  return command !== 'select' && reads ? [own, rulesToRead(relation)] : [own]
}

/** Returns the rules for rows as an INSERT or UPDATE leaves them. */
export function rulesForNewRows(relation: Relation, command: 'insert' | 'update', reads: boolean): RuleSet[] {
  const own = ruleSet(relation, command, ({ using, check }) =>
    check === null ? { part: 'using', expression: using } : { part: 'check', expression: check },
  )
  return reads ? [own, rulesToRead(relation)] : [own]
}

const rulesToRead = (relation: Relation): RuleSet =>
  ruleSet(relation, 'select', ({ using }) => ({ part: 'using', expression: using }))

function ruleSet(
  relation: Relation,
  purpose: Command,
  expressionOf: (policy: Policy) => { part: Rule['part']; expression: string | null },
): RuleSet {
  const rules = relation.policies
    .filter(({ command, appliesToCaller }) => appliesToCaller && (command === purpose || command === 'all'))
    .map((policy): Rule => {
      const { part, expression } = expressionOf(policy)
      return { policy, part, condition: parseCondition(expression ?? 'true') }
    })
  return {
    purpose,
    permissive: rules.filter(({ policy }) => policy.isPermissive),
    restrictive: rules.filter(({ policy }) => !policy.isPermissive),
  }
}

export const rulesOf = ({ permissive, restrictive }: RuleSet): Rule[] => [...permissive, ...restrictive]

/** Returns the value of each rule for one row. @param index The row's position in the values. */
export const ruleValues = (sets: readonly RuleSet[], values: Values, index: number): RuleValue[] =>
  sets.flatMap((set) =>
    rulesOf(set).map(({ policy, part, condition }) => ({
      policy: policy.name,
      part,
      purpose: set.purpose,
      value: values.get(condition)?.[index] ?? null,
    })),
  )

/** Why a row doesn't pass.
 *  @property rules Each permissive rule, or the first restrictive one. Empty: no permissive policy applies. */
export type Refusal = { readonly purpose: Command; readonly rules: readonly Rule[] }

/** Applies rule sets to one row; null if it passes all of them. @param index The row's position in the values. */
export function refusalOf(sets: readonly RuleSet[], values: Values, index: number): Refusal | null {
  const value = ({ condition }: Rule): Value | undefined => values.get(condition)?.[index]
  for (const { purpose, permissive, restrictive } of sets) {
    if (!permissive.some((rule) => value(rule) === true)) return { purpose, rules: permissive }
    const against = restrictive.find((rule) => value(rule) !== true)
    if (against) return { purpose, rules: [against] }
  }
  return null
}
