import { ACTIONS, type Answer } from '../../access/index.ts'
import { isJsonObject, tryJson } from '../../kernel/json.ts'
import { type BackendOptions, findBackend, UsageError } from '../arguments.ts'
import { ask, findRunning } from '../running.ts'

type ExplainOptions = BackendOptions & {
  readonly as?: string
  readonly where?: string
  readonly row?: string
  readonly claims?: string
  readonly returning: boolean
  readonly output: 'pretty' | 'json'
}

const SHOWN_ROWS = 5
const ROW_LENGTH = 80

/** `undock explain`: prints whether a caller may do something in the running backend, and why.
 *  @param subject An action, or the id of a past request, which needs no target and no caller.
 *  @returns 1 if the question can't be answered, regardless of the answer.
 *  @throws {UsageError} */
export async function explain(subject: string, target: string | undefined, options: ExplainOptions): Promise<number> {
  const question = questionOf(subject, target, options)
  const response = await ask(await findRunning(findBackend(options)), '/explain', question)
  if (!response) return 1
  const answer = (await response.json()) as Answer
  console.log(options.output === 'json' ? JSON.stringify(answer, null, 2) : answerText(answer))
  return 0
}

function questionOf(subject: string, target: string | undefined, options: ExplainOptions): object {
  const row = parseObject(options.row, '--row')
  const isAction = (ACTIONS as readonly string[]).includes(subject)
  if (!isAction && /^[0-9a-f-]{4,36}$/i.test(subject)) {
    if (target === undefined && options.as === undefined) return { request: subject, row }
    throw new UsageError('To explain a request, give only its id and --row.')
  }
  if (!isAction)
    throw new UsageError(`"${subject}" is neither an action (${ACTIONS.join(', ')}) nor the id of a request.`)
  if (target === undefined) throw new UsageError(`Add what to ${subject}: a table or view, bucket/path, or a topic.`)
  if (options.as === undefined) throw new UsageError("Add the caller: --as with a user's id or email, or a role.")
  const { as, where, returning } = options
  return { as, action: subject, target, where, returning, row, claims: parseObject(options.claims, '--claims') }
}

function parseObject(text: string | undefined, option: string): object | undefined {
  if (text === undefined) return undefined
  const value = tryJson(text)
  if (isJsonObject(value)) return value
  throw new UsageError(`${option} needs a JSON object, such as '{"name": "x"}', not ${text}.`)
}

function answerText({ answer, notes, advice, caller, command, relation, policies, rows }: Answer): string {
  const { sub } = caller.claims as { sub?: string }
  const security = relation.kind === 'view' ? '' : `, row security ${relation.isRowSecurityEnabled ? 'on' : 'off'}`
  // SELECT policies also apply to rows that a filter or RETURNING reads.
  const relevant = policies.filter((policy) => ['all', 'select', command].includes(policy.command))
  const sections = [
    answer,
    [
      `Caller  ${caller.role}${sub ? `, user ${sub}` : ''}`,
      `${relation.kind === 'view' ? 'View   ' : 'Table  '} ${relation.schema}.${relation.name}${security}`,
      ...notes.map((note) => `Note    ${note}`),
    ].join('\n'),
    relevant.length === 0 ? '' : `Policies\n${relevant.map(policyLine).join('\n')}`,
    rows.length === 0 ? '' : `Rows\n${rowLines(rows)}`,
    advice.length === 0 ? '' : `What would change this\n${advice.map((line) => `  ${line}`).join('\n')}`,
  ]
  return sections.filter(Boolean).join('\n\n')
}

function policyLine(policy: Answer['policies'][number]): string {
  const { name, isPermissive, command, roles, appliesToCaller, using, check } = policy
  const kind = isPermissive ? '' : 'restrictive, '
  const parts = [using && `using ${using}`, check && `with check ${check}`].filter(Boolean)
  const applies = appliesToCaller ? '' : "  (doesn't apply to this caller)"
  return [
    `  ${name}: ${kind}for ${command} to ${roles.join(', ')}${applies}`,
    ...parts.map((part) => `    ${part}`),
  ].join('\n')
}

function rowLines(rows: Answer['rows']): string {
  const lines = rows.slice(0, SHOWN_ROWS).map(({ row, passes, reason }) => {
    const text = JSON.stringify(row)
    const short = text.length > ROW_LENGTH ? `${text.slice(0, ROW_LENGTH)}…` : text
    return `  ${passes ? '✓' : '✗'} ${short}${reason === null ? '' : `\n    ${reason}`}`
  })
  const omitted = rows.length - SHOWN_ROWS
  return [...lines, ...(omitted > 0 ? [`  and ${omitted} more`] : [])].join('\n')
}
