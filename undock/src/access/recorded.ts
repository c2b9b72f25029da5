import type { Principal } from '../kernel/service.ts'
import type { Sql } from '../kernel/sql.ts'
import { splitUrl } from '../kernel/url.ts'
import { type AccessQuestion, AccessQuestionError } from './explanation.ts'
import { questionFor } from './questions.ts'
import type { Command } from './relation.ts'

/** What's kept of a past request. @property path With the query. */
export type RecordedRequest = {
  readonly service: string
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly caller: Principal | null
}

/** Finds the relation and rows of a Data API request; null if it calls a function. */
export type FindTarget = (request: Request) => Promise<{ schema: string; table: string; where: Sql | null } | null>

/** Returns the question that a request implied.
 *  @param row Values of an INSERT or UPDATE, because bodies aren't kept.
 *  @throws {AccessQuestionError} */
export async function questionOf(
  request: RecordedRequest,
  findTarget: FindTarget | null,
  row: object | undefined,
): Promise<AccessQuestion> {
  const { caller, service } = request
  if (!caller) throw new AccessQuestionError('The caller of this request is unknown: its token or key was refused.')
  if (service === 'rest' && findTarget) return restQuestion(request, caller, findTarget, row)
  if (service === 'storage') return storageQuestion(request, caller, row)
  throw new AccessQuestionError(
    `Requests to "${service}" cannot be explained; those to the Data API and to stored files can.`,
  )
}

const COMMANDS: Readonly<Record<string, Command>> = {
  GET: 'select',
  HEAD: 'select',
  POST: 'insert',
  PUT: 'insert',
  PATCH: 'update',
  DELETE: 'delete',
}

async function restQuestion(
  { method, path, headers }: RecordedRequest,
  caller: Principal,
  findTarget: FindTarget,
  row: object | undefined,
): Promise<AccessQuestion> {
  const profile = headers['content-profile'] ?? headers['accept-profile']
  const request = new Request(`http://localhost${path}`, profile ? { headers: { 'accept-profile': profile } } : {})
  const target = await findTarget(request)
  const command = COMMANDS[method]
  if (!target || !command)
    throw new AccessQuestionError(
      `${method} ${path} reads or writes no table or view by itself, so it cannot be explained.`,
    )
  if (command === 'insert' && !row)
    throw new AccessQuestionError("Request bodies are not recorded: give the new row with --row '{…}'.")
  const { schema, table, where } = target
  return {
    caller,
    command,
    schema,
    table,
    where: command === 'insert' ? null : where,
    values: row ?? null,
    returning: headers.prefer?.includes('return=representation') ?? false,
  }
}

const FILE = /^\/storage\/v1\/object\/(?:authenticated\/|info\/(?:authenticated\/)?)?([^/]+\/.+)$/
const ACTIONS = { GET: 'download', HEAD: 'download', POST: 'upload', PUT: 'upload', DELETE: 'remove' } as const

function storageQuestion(
  { method, path }: RecordedRequest,
  caller: Principal,
  row: object | undefined,
): AccessQuestion {
  const [, encoded] = FILE.exec(splitUrl(`http://localhost${path}`).pathname) ?? []
  const action = Object.hasOwn(ACTIONS, method) ? ACTIONS[method as keyof typeof ACTIONS] : undefined
  if (encoded === undefined || action === undefined || /^(?:sign|public|list|upload|copy|move)\//.test(encoded))
    throw new AccessQuestionError(`${method} ${path} is about no single stored file, so it cannot be explained.`)
  return questionFor(caller, { action, target: decodeURIComponent(encoded), row })
}
