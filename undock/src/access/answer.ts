import type { AccessQuestion, Explanation, Tested } from './explanation.ts'
import { missingPolicy } from './reasons.ts'
import type { Command, Relation } from './relation.ts'

const DONE: Record<Command, string> = { select: 'seen', insert: 'inserted', update: 'updated', delete: 'deleted' }

/** Returns what to know about how the rows were read, whatever the answer is. */
export function notesOf(relation: Relation, { command, values, readsOnly }: AccessQuestion): string[] {
  const { view, bypass, owner, policies } = relation
  const notes: string[] = []
  const name = nameOf(relation)
  if (view && !view.isInvoker)
    notes.push(
      `${name} is a view that reads ${view.reads.join(', ')} with the rights of its owner ${owner}${
        view.ownerBypasses ? ', to whom row security does not apply' : ''
      }. With (security_invoker = true) it would read with the caller's rights.`,
    )
  if (view?.isInvoker)
    notes.push(
      `${name} is a view that reads ${view.reads.join(', ')} with the caller's rights: ask about these tables.`,
    )
  if (bypass === 'owner')
    notes.push(`The caller owns ${name}, so row security does not apply (force row level security).`)
  if (bypass === 'BYPASSRLS' || bypass === 'superuser')
    notes.push(
      `Row security does not apply to the caller, whose role is ${bypass === 'superuser' ? 'a superuser' : 'BYPASSRLS'}.`,
    )
  if (relation.kind === 'table' && !relation.isRowSecurityEnabled)
    notes.push(`Row security is off for ${name}: grants alone decide.`)
  const definers = new Map(
    policies
      .filter(({ appliesToCaller }) => appliesToCaller)
      .flatMap(({ definerFunctions }) => definerFunctions.map((one) => [one.name, one.owner])),
  )
  for (const [called, owner] of definers) notes.push(`${called} runs with the rights of ${owner} (security definer).`)
  if (readsOnly && command !== 'select')
    notes.push(
      `The ${command} was not tried, because this access is read-only: triggers and constraints may still refuse it.`,
    )
  if (command === 'update' && !values) notes.push('The new rows were not checked: give the changed values with --row.')
  return notes
}

/** Returns the sentence that answers the question, and what would change the answer. */
export function conclude(
  relation: Relation,
  question: AccessQuestion,
  tested: Tested,
  outcome: Explanation['outcome'],
): { answer: string; advice: string[] } {
  const { command } = question
  const fault = outcome && 'code' in outcome ? outcome : null
  if (tested.fault && (fault === null || fault.code !== '42501'))
    return {
      answer: `Postgres refuses this for every caller (${tested.fault.code}): ${tested.fault.message}.`,
      advice: [],
    }
  const refused = tested.rows.find(({ reason }) => reason !== null)
  const advice = refused ? adviceFor(relation, question, refused.reason ?? '') : []
  if (tested.fault && hasNoPolicy(relation, command)) {
    // The row can't be created, with or without row security; yet policies are checked first, and the caller has none.
    const reason = missingPolicy(relation, question.caller, command)
    return {
      answer: `Postgres refuses the ${command} (42501): ${reason}.`,
      advice: adviceFor(relation, question, reason),
    }
  }
  if (tested.fails && refused) return { answer: `Postgres refuses the ${command} (42501): ${refused.reason}.`, advice }
  if (fault) {
    if (refused) return { answer: `Postgres refuses the ${command} (${fault.code}): ${refused.reason}.`, advice }
    const before = tested.rows.some(({ passes }) => passes) ? 'Row security allows it, but Postgres' : 'Postgres'
    return { answer: `${before} refuses the ${command} (${fault.code}): ${fault.message}.`, advice }
  }
  if (outcome && 'rowCount' in outcome && (relation.kind !== 'table' || command === 'insert')) {
    const count = outcome.rowCount
    return { answer: `${countText(count)} ${count === 1 ? 'is' : 'are'} ${DONE[command]}.`, advice }
  }
  return { answer: countAnswer(command, tested, refused?.reason ?? null), advice }
}

const hasNoPolicy = ({ isRowSecurityEnabled, bypass, policies }: Relation, command: Command): boolean =>
  isRowSecurityEnabled &&
  bypass === null &&
  !policies.some(
    (policy) =>
      policy.isPermissive && policy.appliesToCaller && (policy.command === command || policy.command === 'all'),
  )

function countAnswer(command: Command, { rows, isPart }: Tested, reason: string | null): string {
  const passing = rows.filter(({ passes }) => passes).length
  if (rows.length === 0) return 'No row matches, regardless of the caller.'
  const of = isPart ? `the first ${rows.length} rows` : countText(rows.length)
  if (passing === rows.length)
    return rows.length === 1 ? `The row is ${DONE[command]}.` : `All of ${of} are ${DONE[command]}.`
  if (rows.length === 1) return `The row is not ${DONE[command]}: ${reason}.`
  return `${passing} of ${of} ${passing === 1 ? 'is' : 'are'} ${DONE[command]}: ${reason}.`
}

function adviceFor(relation: Relation, question: AccessQuestion, reason: string): string[] {
  if (reason.includes("no user's token")) return ['Send the request with the access token of a signed-in user.']
  return /no policy/.test(reason) ? policyAdvice(relation, question) : []
}

/** Returns the commands that privileges and policies must allow: finding or returning rows needs `select`. */
export const purposesOf = ({ command, where = null, returning = false }: AccessQuestion): Command[] =>
  command !== 'select' && (returning || (where !== null && command !== 'insert')) ? [command, 'select'] : [command]

/** Returns the policies that a command lacks. */
export const policyAdvice = (relation: Relation, question: AccessQuestion): string[] =>
  purposesOf(question)
    .filter((purpose) => hasNoPolicy(relation, purpose))
    .map((purpose) => {
      const expression = purpose === 'insert' ? 'with check (…)' : 'using (…)'
      return `create policy "…" on ${nameOf(relation)} for ${purpose} to ${question.caller.role} ${expression};`
    })

const nameOf = ({ schema, name }: Pick<Relation, 'schema' | 'name'>): string => `${schema}.${name}`

const countText = (count: number): string => (count === 1 ? '1 row' : `${count} rows`)
