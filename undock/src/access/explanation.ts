import type { Settings } from '../database/db.ts'
import type { Principal } from '../kernel/service.ts'
import type { Sql } from '../kernel/sql.ts'
import type { PostgresFault } from './caller-session.ts'
import type { Command, Policy, Relation } from './relation.ts'

/** @property where The rows that the command is about; null for all rows.
 *  @property values The values of an INSERT or UPDATE; of a SELECT those of a row that does not exist yet.
 *  @property returning Whether the command returns its rows (`.select()`): then the SELECT policies hold for them, too.
 *  @property readsOnly Nothing is tried: who asks may change nothing.
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

/** What row security decides about one row.
 *  @property reason Why it does not pass; null when it does, and for all but the first few that do not.
 *  @property rules The value of each policy that counts for the row; none where row security does not hold. */
export type RowVerdict = {
  readonly row: Record<string, unknown>
  readonly passes: boolean
  readonly reason: string | null
  readonly rules: readonly RuleValue[]
}

/** @property purpose The command that the policy was asked for: `select` also for rows that a filter or RETURNING reads.
 *  @property value What the expression is for this caller and row; the fault where Postgres could not compute it. */
export type RuleValue = {
  readonly policy: string
  readonly part: 'using' | 'check'
  readonly purpose: Command
  readonly value: boolean | null | PostgresFault
}

/** @property answer The sentence that answers the question.
 *  @property advice What would change the answer.
 *  @property rows The rows that were looked at: of INSERT and UPDATE the new ones where the old one passes.
 *  @property outcome What Postgres did when the command was tried; null where it was not. */
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

/** @property rows Of INSERT and UPDATE the new rows where an old one passes. */
export type Tested = {
  readonly rows: readonly RowVerdict[]
  readonly isPart: boolean
  /** Why rows could not be looked at. */
  readonly fault: PostgresFault | null
  /** Whether a refused row makes the whole command fail, instead of being left out. */
  readonly fails: boolean
}

/** The question cannot be answered as it was asked. */
export class AccessQuestionError extends Error {
  override readonly name = 'AccessQuestionError'
}
