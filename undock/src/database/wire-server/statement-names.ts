import { quoteIdentifier } from '../../kernel/sql.ts'
import { splitStatements, withoutComments } from '../statements/split-statements.ts'
import { foldName } from './statement-effects.ts'

const NAME = String.raw`("(?:[^"]|"")+"|[a-z_][\w$]*)`
const MAY_HAVE_NAMES = /\b(?:prepare|execute|deallocate)\b/i
/** The places where SQL has the name of a prepared statement, which is the last group. PREPARE TRANSACTION has none. */
const PLACES = [
  new RegExp(String.raw`^(prepare\s+(?!transaction\s+'))${NAME}`, 'i'),
  new RegExp(String.raw`^(execute\s+)${NAME}`, 'i'),
  new RegExp(String.raw`^(deallocate\s+(?:prepare\s+)?(?!all\b|prepare\s))${NAME}`, 'i'),
  new RegExp(String.raw`^(explain(?:\s*\([^()]*\)|\s+analyze|\s+verbose)*\s+execute\s+)${NAME}`, 'i'),
  new RegExp(String.raw`^(create\s+[\w\s]*table\s+[\w\s".$]+?\s+as\s+execute\s+)${NAME}`, 'i'),
]

/** Replaces the names of prepared statements in PREPARE, EXECUTE and DEALLOCATE: all clients share one session, in which a name
 *  can exist once. */
export function replaceStatementNames(text: string, replace: (name: string) => string): string {
  if (!MAY_HAVE_NAMES.test(text)) return text
  const statements = splitStatements(text).map((one) => one.text)
  const replaced = statements.map((one) => {
    const code = withoutComments(one)
    const place = PLACES.find((pattern) => pattern.test(code))
    return place
      ? code.replace(place, (_all, before: string, name: string) => before + quoteIdentifier(replace(foldName(name))))
      : one
  })
  return replaced.every((one, index) => one === statements[index]) ? text : replaced.join(';\n')
}
