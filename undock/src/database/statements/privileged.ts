import { literal } from '../../kernel/sql.ts'
import { withoutComments } from './split-statements.ts'
import { readTokens, StatementReader } from './statement-reader.ts'

/** Rewrites a statement that needs a superuser, but that hosted projects allow, as a call of a procedure, which checks
 *  what it does. A statement that isn't completely understood stays unchanged, and Postgres refuses it.
 *  @see bootstrap/65_privileged.sql */
function rewritePrivileged(text: string): string {
  if (!MAY_BE_PRIVILEGED.test(text)) return text
  const tokens = readTokens(text)
  if (tokens === null) return text
  for (const rewrite of REWRITES) {
    const rewritten = rewrite(new StatementReader(text, tokens))
    if (rewritten !== null) return rewritten
  }
  return text
}

const MAY_BE_PRIVILEGED =
  /event\s+trigger|publication|alter\s+extension|foreign\s+data\s+wrapper|alter\s+(?:role|user|database)/i

const NO_OPERATION = 'do $undock$ begin end $undock$'

const array = (values: readonly string[]): string => `array[${values.map(literal).join(', ')}]::text[]`
const call = (procedure: string, ...values: readonly string[]): string =>
  `call _undock.${procedure}(${values.join(', ')})`

type Rewrite = (reader: StatementReader) => string | null

const createEventTrigger: Rewrite = (reader) => {
  if (!reader.words('create', 'event', 'trigger')) return null
  const name = reader.name()
  if (name === null || !reader.words('on')) return null
  const event = reader.name()
  const tags: string[] = []
  if (reader.words('when')) {
    if (!reader.words('tag', 'in')) return null
    const listed = reader.list(() => reader.string())
    if (listed === null) return null
    tags.push(...listed)
  }
  if (!reader.words('execute') || !(reader.words('function') || reader.words('procedure'))) return null
  const handler = reader.path()
  if (event === null || handler === null || !reader.symbols('(', ')') || !reader.isDone) return null
  const values = tags.length === 0 ? 'null' : array(tags)
  return call('create_event_trigger', literal(name), literal(event), values, `${literal(`${handler}()`)}::regprocedure`)
}

/** Objects created by such a procedure already belong to the project. */
const ignoreOwnerChange: Rewrite = (reader) => {
  if (!reader.words('alter', 'event', 'trigger') && !reader.words('alter', 'foreign', 'data', 'wrapper')) return null
  return reader.name() !== null && reader.words('owner', 'to') && reader.name() !== null && reader.isDone
    ? NO_OPERATION
    : null
}

const createPublication: Rewrite = (reader) => {
  if (!reader.words('create', 'publication')) return null
  const name = reader.name()
  if (name === null || !reader.words('for')) return null
  if (reader.words('all', 'tables')) {
    const options = reader.words('with') ? reader.list(() => reader.assignment()) : []
    if (options === null || !reader.isDone) return null
    return call('publish_all_tables', literal(name), options.length === 0 ? 'null' : array(options))
  }
  const objects = reader.publicationObjects()
  if (objects === null || objects.schemas.length === 0) return null
  const options = reader.rest()
  const tables = objects.tables === '' ? '' : ` for ${objects.tables}`
  const publish = call('publish_schemas', literal(name), schemaArray(objects.schemas), 'false')
  return `create publication ${quoted(name)}${tables} ${options}; ${publish}`
}

const alterPublication: Rewrite = (reader) => {
  if (!reader.words('alter', 'publication')) return null
  const name = reader.name()
  const isReplaced = reader.words('set')
  if (name === null || !(isReplaced || reader.words('add'))) return null
  const objects = reader.publicationObjects()
  if (objects === null || objects.schemas.length === 0 || !reader.isDone) return null
  const tables =
    objects.tables === '' ? '' : `alter publication ${quoted(name)} ${isReplaced ? 'set' : 'add'} ${objects.tables}; `
  const replaces = isReplaced && tables === ''
  return tables + call('publish_schemas', literal(name), schemaArray(objects.schemas), String(replaces))
}

const createWrapper: Rewrite = (reader) => {
  if (!reader.words('create', 'foreign', 'data', 'wrapper')) return null
  const name = reader.name()
  let [handler, validator, options]: [string | null, string | null, string[]] = [null, null, []]
  while (name !== null && !reader.isDone) {
    if (reader.words('handler')) handler = reader.path()
    else if (reader.words('validator')) validator = reader.path()
    else if (reader.words('options')) options = reader.list(() => reader.option()) ?? []
    else if (!reader.words('no', 'handler') && !reader.words('no', 'validator')) return null
  }
  if (name === null) return null
  const routine = (path: string | null) => (path === null ? 'null' : `${literal(path)}::regproc`)
  const values = options.length === 0 ? 'null' : array(options)
  return call('create_wrapper', literal(name), routine(handler), routine(validator), values)
}

const moveExtension: Rewrite = (reader) => {
  if (!reader.words('alter', 'extension')) return null
  const name = reader.name()
  if (name === null || !reader.words('set', 'schema')) return null
  const schema = reader.name()
  return schema === null || !reader.isDone ? null : call('move_extension', literal(name), literal(schema))
}

/** Only a project's custom parameters; Postgres decides about the others. */
const setParameter: Rewrite = (reader) => {
  if (!reader.words('alter')) return null
  const isDatabase = reader.words('database')
  if (!isDatabase && !reader.words('role') && !reader.words('user')) return null
  const holder = reader.name()
  const database = !isDatabase && reader.words('in', 'database') ? reader.name() : null
  const isReset = reader.words('reset')
  if (holder === null || !(isReset || reader.words('set'))) return null
  const parameter = reader.parameter()
  if (parameter === null || !parameter.includes('.')) return null
  const value = isReset ? 'null' : parameterValue(reader)
  if (value === null || !reader.isDone) return null
  const names = isDatabase
    ? ['null', literal(holder)]
    : [literal(holder), database === null ? 'null' : literal(database)]
  return call('set_parameter', ...names, literal(parameter), value)
}

function parameterValue(reader: StatementReader): string | null {
  if (!reader.words('to') && !reader.symbols('=')) return null
  if (reader.words('default')) return 'null'
  const values: string[] = []
  do {
    const one = reader.value()
    if (one === null) return null
    values.push(one)
  } while (reader.symbols(','))
  return array(values)
}

const REWRITES = [
  createEventTrigger,
  ignoreOwnerChange,
  createPublication,
  alterPublication,
  createWrapper,
  moveExtension,
  setParameter,
]

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
const schemaArray = (schemas: readonly (string | null)[]): string =>
  `array[${schemas.map((one) => (one === null ? 'current_schema()::text' : literal(one))).join(', ')}]::text[]`

const EXTENSION = /^create\s+extension\b/i
const VERSION = /\s+version\s+(?:'[^']*'|"[^"]*"|[\w.]+)|\s+from\s+(?:'[^']*'|"[^"]*"|[\w.]+)/gi
const UPDATE = /^(alter\s+extension\s+(?:"[^"]+"|[\w$]+)\s+update)\s+to\s+(?:'[^']*'|"[^"]*"|[\w.]+)/i
const BLOCK = /^do\b/i
/** The statements of a DO block that may need a superuser. */
const OF_BLOCK =
  /(?<=(?:\b(?:begin|then|else|loop)|;)\s+)(?:create|alter)\s+(?:publication|event\s+trigger|foreign\s+data\s+wrapper|extension|role|database)\b[^;]*(?=;)/gi
const COLLATION = /\bcollate\s+(?:(?:pg_catalog|"pg_catalog")\.)?"([^"]+)"/gi

/** Rewrites a statement for the engine: drops extension versions, so that the available one is used, and turns
 *  statements that hosted projects allow `postgres` into calls of privileged procedures. */
export function rewriteStatement(text: string): string {
  const code = withoutComments(text)
  if (EXTENSION.test(code)) return code.replace(VERSION, '')
  if (UPDATE.test(code)) return code.replace(UPDATE, '$1')
  if (BLOCK.test(code))
    return text.replace(OF_BLOCK, (one) => rewritePrivileged(one).replace(NO_OPERATION, () => 'null'))
  return rewritePrivileged(text)
}

export const usedCollations = (text: string): string[] => [...text.matchAll(COLLATION)].map(([, name = '']) => name)
