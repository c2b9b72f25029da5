import type { Principal } from '../kernel/service.ts'
import type { Trial } from './caller-session.ts'
import { type Condition, readable } from './condition.ts'
import { evaluateOperands, type Value, type Values } from './evaluate.ts'
import type { Refusal, Rule } from './policies.ts'
import type { Command, Relation } from './relation.ts'
import type { StoredRow } from './rows.ts'

/** Reasons that fit in a sentence. */
const REASONS = 3
const VALUE_LENGTH = 60

/** Returns why a row doesn't pass, as the second half of a sentence: `policy "members read" is false because …`. */
export async function reasonFor(
  trial: Trial,
  relation: Relation,
  principal: Principal,
  { refusal, values, row, index }: { refusal: Refusal; values: Values; row: StoredRow; index: number },
): Promise<string> {
  const { purpose, rules } = refusal
  if (rules.length === 0) return missingPolicy(relation, principal, purpose)
  const reasons: string[] = []
  for (const rule of rules.slice(0, REASONS))
    reasons.push(await ruleReason(trial, relation, principal, { rule, values, row, index }))
  const omitted = rules.length - REASONS
  return reasons.join(', and ') + (omitted > 0 ? `, and ${omitted} more policies are false` : '')
}

/** Returns why no row can pass: no policy allows the command for this caller. */
export function missingPolicy({ policies }: Relation, { role }: Principal, purpose: Command): string {
  const others = policies.filter(({ isPermissive }) => isPermissive)
  if (others.length === 0) return 'row security is on, and the table has no policy'
  const fitting = others.filter(({ command }) => command === purpose || command === 'all')
  return fitting.length === 0
    ? `no policy allows ${purpose}`
    : `no policy that allows ${purpose} is for the role ${role} (${fitting.map(({ name, roles }) => `policy "${name}" is for ${roles.join(', ')}`).join('; ')})`
}

type RowInCondition = { readonly values: Values; readonly row: StoredRow; readonly index: number }

async function ruleReason(
  trial: Trial,
  relation: Relation,
  principal: Principal,
  { rule, ...place }: { rule: Rule } & RowInCondition,
): Promise<string> {
  const { policy, condition } = rule
  const kind = policy.isPermissive ? 'policy' : 'the restrictive policy'
  const name = `${kind} "${policy.name}"`
  const value = place.values.get(condition)?.[place.index]
  if (isFault(value)) return `${name} fails: ${value.message}`
  const tests = decisiveTests(condition, place).slice(0, REASONS)
  const because: string[] = []
  for (const test of tests) because.push(await testReason(trial, relation, principal, test, place))
  return `${name} is ${value === null ? 'not true' : 'false'} because ${because.join(' and ')}`
}

/** The tests that make a condition false: the first false one of an AND, each one of an OR. */
function decisiveTests(condition: Condition, place: RowInCondition): Condition[] {
  if (condition.kind === 'or') return condition.parts.flatMap((part) => decisiveTests(part, place))
  if (condition.kind !== 'and') return [condition]
  const first = condition.parts.find((part) => place.values.get(part)?.[place.index] !== true)
  return first ? decisiveTests(first, place) : [condition]
}

async function testReason(
  trial: Trial,
  relation: Relation,
  principal: Principal,
  test: Condition,
  { values, row, index }: RowInCondition,
): Promise<string> {
  const text = readable(test.text)
  const value = values.get(test)?.[index]
  if (isFault(value)) return `\`${text}\` fails: ${value.message}`
  if (text === 'false') return 'its expression is `false`'
  if (test.kind !== 'test' || test.operands === null) return `\`${text}\` is ${value}${tokenHint(text, principal)}`
  const { left, right } = test.operands
  const [leftValue, rightValue] = await evaluateOperands(trial, relation, row, test.operands)
  const sides = [
    { text: readable(left), value: leftValue },
    { text: readable(right ?? ''), value: rightValue },
  ]
  const missing = sides.filter(({ value }) => value === null)
  if (missing.length > 0)
    return missing.map(({ text }) => `\`${text}\` is null${tokenHint(text, principal)}`).join(' and ')
  const shown = sides.filter(({ text, value }) => value !== undefined && literalOf(text) !== value)
  const told = shown.map(({ text, value }) => `\`${text}\` is ${quote(value ?? '')}`).join(' and ')
  return told === '' ? `\`${text}\` is false` : `\`${text}\` is false: ${told}`
}

/** What a token lacks for the functions that read it. */
function tokenHint(text: string, { role, claims }: Principal): string {
  if (!/auth\.(uid|jwt|email)\(\)|request\.jwt/.test(text) || claims.sub !== undefined) return ''
  return role === 'service_role' || role === 'anon'
    ? ": the request carried an API key and no user's token"
    : ": the request carried no user's token"
}

/** `'draft'::text` needs no evaluation. */
const literalOf = (text: string): string | null =>
  /^'((?:[^']|'')*)'(?:::|$)/.exec(text)?.[1]?.replaceAll("''", "'") ?? (/^\d+$/.test(text) ? text : null)

const quote = (value: string): string => `'${value.length > VALUE_LENGTH ? `${value.slice(0, VALUE_LENGTH)}…` : value}'`

const isFault = (value: Value | undefined) => typeof value === 'object' && value !== null
