import { asProjectUser } from '../database/as-project-user.ts'
import type { Db } from '../database/db.ts'
import { type Sql, sql } from '../kernel/sql.ts'
import { conclude, notesOf, policyAdvice, purposesOf } from './answer.ts'
import { createTrial, type Trial, type TrialResult } from './caller-session.ts'
import { evaluateConditions } from './evaluate.ts'
import {
  type AccessQuestion,
  AccessQuestionError,
  type Explanation,
  type RowVerdict,
  type Tested,
} from './explanation.ts'
import { type RuleSet, refusalOf, rulesForNewRows, rulesForOldRows, rulesOf, ruleValues } from './policies.ts'
import { reasonFor } from './reasons.ts'
import { type Command, type Relation, readRelation, relationSql } from './relation.ts'
import { buildInserted, buildUpdated, insertSql, readSample, type StoredRow, updateSql, whereSql } from './rows.ts'

/** Milliseconds per statement: tried commands run triggers and wait for locks. */
const STATEMENT_LIMIT = '5000'
const LOCK_LIMIT = '1000'

const REASONED_ROWS = 5

/** Answers what others may read, and writes nothing. */
const READER = { session_authorization: 'undock_reader' }
const CONFINE = [sql`call _undock.confine()`, sql`set transaction read only`]

/** Explains Postgres' decision about a command: privileges, each policy for this caller and these rows, and what
 *  happens when the command is tried. Runs in one rolled back transaction in its own session: the project owner's
 *  (never a superuser's) if a writing command is tried, otherwise a read-only one that reaches no other server.
 *  @throws {AccessQuestionError} */
export function explainAccess(db: Db, question: AccessQuestion): Promise<Explanation> {
  const readsOnly = question.readsOnly === true || (question.command === 'select' && !question.values)
  const settings = {
    search_path: '',
    statement_timeout: STATEMENT_LIMIT,
    lock_timeout: LOCK_LIMIT,
    ...(readsOnly ? READER : {}),
  }
  return asProjectUser(db).transaction({ settings, hasOwnSession: true, end: 'rollback' }, async (tx) => {
    if (readsOnly) for (const one of CONFINE) await tx.query(one)
    const { caller, command, schema, table } = question
    const relation = await readRelation(tx, question, caller.role, command)
    if (!relation)
      throw new AccessQuestionError(`There is no table or view ${schema}.${table}, or no role ${caller.role}.`)
    const unknown = Object.keys(question.values ?? {}).find(
      (name) => !relation.columns.some((one) => one.name === name),
    )
    if (unknown !== undefined) throw new AccessQuestionError(`${schema}.${table} has no column ${unknown}.`)
    if (question.readsOnly && command !== 'select' && relation.kind !== 'table')
      throw new AccessQuestionError(
        `What happens to ${schema}.${table}, a ${relation.kind}, shows only in a trial, which read-only access cannot run: use undock explain.`,
      )
    const trial = createTrial(tx, caller, { settings: question.settings ?? {}, readsOnly })
    return explain(trial, relation, question)
  })
}

async function explain(trial: Trial, relation: Relation, question: AccessQuestion): Promise<Explanation> {
  const { policies, columns: _, ...facts } = relation
  const base = {
    command: question.command,
    relation: facts,
    policies,
    rows: [],
    isSample: false,
    outcome: null,
    notes: notesOf(relation, question),
  }
  const missing = missingPrivilege(relation, question)
  if (missing) return { ...base, ...missing }
  const outcome = await tryCommand(trial, relation, question)
  const tested = await testRows(trial, relation, question)
  const { answer, advice } = conclude(relation, question, tested, outcome)
  return { ...base, answer, advice, rows: tested.rows, isSample: tested.isPart, outcome }
}

/** What grants decide before policies. The advice lists everything missing, including policies. */
function missingPrivilege(relation: Relation, question: AccessQuestion): { answer: string; advice: string[] } | null {
  const { caller, command, values } = question
  const name = `${relation.schema}.${relation.name}`
  const refused = `Postgres refuses this for every row (42501): the role ${caller.role}`
  const onTable = tableGrants(relation, question).map((purpose) => `grant ${purpose} on ${name} to ${caller.role};`)
  const policies = policyAdvice(relation, question)
  if (!relation.mayUseSchema)
    return {
      answer: `${refused} may not use the schema ${relation.schema}.`,
      advice: [`grant usage on schema ${relation.schema} to ${caller.role};`, ...onTable, ...policies],
    }
  if (relation.hasPrivilege) return null
  const allowed = relation.columns.filter((column) => mayUse(column, command))
  if (allowed.length === 0 || command === 'delete')
    return { answer: `${refused} has no ${command} privilege on ${name}.`, advice: [...onTable, ...policies] }
  const lacking = Object.keys(values ?? {}).find((name) => !allowed.some((column) => column.name === name))
  if (lacking === undefined) return null
  return {
    answer: `${refused} may ${command} only the columns ${allowed.map((column) => column.name).join(', ')} of ${name}, not ${lacking}.`,
    advice: [`grant ${command} (${lacking}) on ${name} to ${caller.role};`, ...policies],
  }
}

const tableGrants = (relation: Relation, question: AccessQuestion): Command[] =>
  purposesOf(question).filter((purpose) => {
    if (purpose === question.command && relation.hasPrivilege) return false
    return purpose === 'delete' || !relation.columns.some((column) => mayUse(column, purpose))
  })

const mayUse = (column: Relation['columns'][number], command: Command): boolean =>
  command === 'select' ? column.mayRead : command === 'insert' ? column.mayInsert : column.mayUpdate

const NOTHING: Tested = { rows: [], isPart: false, fault: null, fails: false }

/** Decides about each row like Postgres: which old ones the command may use, then whether the new ones are allowed. */
async function testRows(trial: Trial, relation: Relation, question: AccessQuestion): Promise<Tested> {
  if (relation.kind !== 'table') return NOTHING
  const { command, where = null, values, returning = false } = question
  if (command === 'select' && values) {
    const row = await buildInserted(trial, relation, values)
    if ('code' in row) return { ...NOTHING, fault: row }
    return { ...NOTHING, rows: await judge(trial, relation, question, [row], rulesForOldRows(relation, command, true)) }
  }
  if (command === 'insert') {
    const row = await buildInserted(trial, relation, values ?? {})
    if ('code' in row) return { ...NOTHING, fault: row }
    return {
      ...NOTHING,
      rows: await judge(trial, relation, question, [row], rulesForNewRows(relation, command, returning)),
      fails: true,
    }
  }
  const sample = await readSample(trial, relation, where)
  if ('code' in sample) return { ...NOTHING, fault: sample }
  const reads = where !== null || returning
  const old = await judge(trial, relation, question, sample.rows, rulesForOldRows(relation, command, reads))
  const usable = sample.rows.filter((_, index) => old[index]?.passes)
  if (command !== 'update' || !values || usable.length === 0) return { ...NOTHING, rows: old, isPart: sample.isPart }
  const updated: StoredRow[] = []
  for (const row of usable) {
    const after = await buildUpdated(trial, relation, row, values)
    if ('code' in after) return { ...NOTHING, rows: old, isPart: sample.isPart, fault: after }
    updated.push(after)
  }
  const rows = await judge(trial, relation, question, updated, rulesForNewRows(relation, command, reads))
  return rows.every(({ passes }) => passes)
    ? { ...NOTHING, rows: old, isPart: sample.isPart }
    : { rows, isPart: sample.isPart, fault: null, fails: true }
}

async function judge(
  trial: Trial,
  relation: Relation,
  { caller }: AccessQuestion,
  rows: readonly StoredRow[],
  sets: readonly RuleSet[],
): Promise<RowVerdict[]> {
  if (!relation.isRowSecurityEnabled || relation.bypass !== null)
    return rows.map(({ row }) => ({ row, passes: true, reason: null, rules: [] }))
  const conditions = sets.flatMap(rulesOf).map(({ condition }) => condition)
  const values = await evaluateConditions(trial, relation, rows, conditions)
  const verdicts: RowVerdict[] = []
  let reasoned = 0
  for (const [index, row] of rows.entries()) {
    const refusal = refusalOf(sets, values, index)
    const isTold = refusal !== null && reasoned++ < REASONED_ROWS
    const reason = isTold ? await reasonFor(trial, relation, caller, { refusal, values, row, index }) : null
    verdicts.push({ row: row.row, passes: refusal === null, reason, rules: ruleValues(sets, values, index) })
  }
  return verdicts
}

async function tryCommand(trial: Trial, relation: Relation, question: AccessQuestion): Promise<Explanation['outcome']> {
  const { command, values } = question
  if ((command === 'update' && !values) || (command === 'select' && values)) return null
  if (command !== 'select' && !trial.mayWrite) return null
  const outcome = await trial.asCaller(commandSql(relation, question), command === 'select' ? 'reads' : 'writes')
  if (!outcome.ok) return outcome.fault
  return { rowCount: command === 'select' ? countOf(outcome) : outcome.result.rowCount }
}

const countOf = (outcome: TrialResult<unknown> & { ok: true }): number =>
  Number((outcome.result.rows[0] as { count?: string } | undefined)?.count ?? 0)

function commandSql(relation: Relation, { command, where = null, values, returning }: AccessQuestion): Sql {
  const target = relationSql(relation)
  const back = returning ? sql` returning *` : sql``
  if (command === 'select') return sql`select count(*) as count from ${target} ${whereSql(where)}`
  if (command === 'insert') return sql`${insertSql(relation, values ?? {})}${back}`
  if (command === 'delete') return sql`delete from ${target} ${whereSql(where)}${back}`
  return sql`${updateSql(relation, values ?? {})} ${whereSql(where)}${back}`
}
