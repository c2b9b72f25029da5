import { lossesOf } from '../database/statements/losses.ts'
import { splitStatements } from '../database/statements/split-statements.ts'

const RESETTING = 'reset_database'
const RUNNING_SQL = ['execute_sql', 'apply_migration']

/** Milliseconds. An agent that corrects row after row must not push out the copies that matter more. */
const RECENT = 10 * 60 * 1_000

/** Words of statements that may change or delete some rows. They also count in comments and strings: a copy too many does no harm. */
const CHANGING = /\b(?:alter|call|delete|do|drop|execute|merge|truncate|update)\b/i

/** Returns how old the last snapshot may be before a call of a tool, in milliseconds: 0 for a call that deletes objects or whole
 *  tables, more for one that may change rows, null for any other. A function called by a `select` is not looked into.
 *  @param input Of the tool, unchecked. */
export function maxSnapshotAge(tool: string, input: Readonly<Record<string, unknown>>): number | null {
  if (tool === RESETTING) return 0
  const { query } = input
  if (!RUNNING_SQL.includes(tool) || typeof query !== 'string') return null
  const losses = splitStatements(query).flatMap(({ text }) => lossesOf(text))
  if (losses.length > 0) return 0
  return CHANGING.test(query) ? RECENT : null
}
