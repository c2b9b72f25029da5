import type { Settings } from '../database/db.ts'
import type { Principal } from '../kernel/service.ts'
import { UserError } from '../kernel/service-error.ts'
import type { Sql } from '../kernel/sql.ts'
import type { PostgresFault } from './caller-session.ts'
import type { Command, Policy, Relation } from './relation.ts'

/** @property where The command's rows; null for all.
 *  @property values Values of an INSERT or UPDATE; for a SELECT those of a row that doesn't exist yet.
 *  @property returning Whether the command returns its rows (`.select()`), so that SELECT policies apply too.
 *  @property readsOnly Nothing is tried, because the asker may not change anything.
 *  @property settings What the service sets besides role and claims, such as `realtime.topic`. */
export type AccessQuestion = {
  readonly caller: Principal
  readonly command: Command
  readonly schema: string
  readonly table: string
  readonly where?: Sql | null
  readonly values?: object | null
  readonly returning?: boolean
  readonly readsOnly?: boolean
  readonly settings?: Settings
}

/** Row security's decision about one row.
 *  @property reason Why it doesn't pass; null if it does, and for all but the first few that don't.
 *  @property rules The value of each relevant policy; empty without row security. */
export type RowVerdict = {
  readonly row: Record<string, unknown>
  readonly passes: boolean
  readonly reason: string | null
  readonly rules: readonly RuleValue[]
}

/** @property purpose The command that the policy was checked for: `select` also for filters and RETURNING.
 *  @property value The expression's value for this caller and row, or Postgres' error. */
export type RuleValue = {
  readonly policy: string
  readonly part: 'using' | 'check'
  readonly purpose: Command
  readonly value: boolean | null | PostgresFault
}

/** @property answer The sentence that answers the question.
 *  @property advice What would change the answer.
 *  @property rows The examined rows: for INSERT and UPDATE the new ones if the old one passes.
 *  @property outcome The result of trying the command; null if not tried. */
export type Explanation = {
  readonly command: Command
  readonly answer: string
  readonly notes: readonly string[]
  readonly advice: readonly string[]
  readonly relation: Omit<Relation, 'policies' | 'columns'>
  readonly policies: readonly Policy[]
  readonly rows: readonly RowVerdict[]
  readonly isSample: boolean
  readonly outcome: { readonly rowCount: number } | PostgresFault | null
}

/** @property rows For INSERT and UPDATE the new rows if an old one passes. */
export type Tested = {
  readonly rows: readonly RowVerdict[]
  readonly isPart: boolean
  readonly fault: PostgresFault | null
  /** Whether a refused row fails the whole command, instead of being left out. */
  readonly fails: boolean
}

/** Thrown if the question can't be answered as asked. */
export class AccessQuestionError extends UserError {}
