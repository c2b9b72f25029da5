import { AccessQuestionError, explainRequest } from '../../access/index.ts'
import type { Db } from '../../database/db.ts'
import { EXPOSED_HEADERS } from '../../gateway/cors.ts'
import type { Identity } from '../../identity/identity.ts'
import { tryJson } from '../../kernel/json.ts'
import { watchBody } from '../../kernel/request-body.ts'
import type { Log, RequestContext, RequestHandler } from '../../kernel/service.ts'
import { isLoopback, splitUrl } from '../../kernel/url.ts'
import type { Rest } from '../../rest/index.ts'

export type AnswerExplainerDeps = {
  readonly db: Db
  readonly identity: Identity
  /** Whether a request comes from a page of another machine. */
  isForeign(request: Request): boolean
  readonly restTargetOf: Rest['targetOf'] | null
  readonly log: Log
}

/** Header for empty responses; percent-encoded unless printable ASCII. */
const HEADER = 'undock-explain'
/** Maximum characters of an explanation. */
const MAX_LENGTH = 1_000
/** Maximum bytes of a body whose rows are explained. */
const BODY_SIZE = 64 * 1024
/** Rows of a body to try until one is refused. */
const TRIED_ROWS = 5

/** Milliseconds before the same text is logged again. */
const REPEATED = 10_000
/** Distinct texts remembered for that. */
const REMEMBERED = 500

type Wrap = (handle: RequestHandler) => RequestHandler

/** Explains access decisions on Data API requests.
 *  @see access/ */
export function createAnswerExplainer(deps: AnswerExplainerDeps): {
  /** For local clients: in a refusal's hint (42501) and in an empty response's `undock-explain` header. Status, code,
   *  message and rows stay unchanged. */
  readonly inAnswers: Wrap
  /** In the log that `undock start` prints: refusals, and empty responses without a policy for the caller. */
  readonly inLog: Wrap
} {
  const inAnswers: Wrap = (handle) => async (request, context) => {
    if (!isLoopback(context.address) || deps.isForeign(request)) return handle(request, context)
    const rows = watchRows(request)
    const response = await handle(request, context)
    if (response.status === 401 || response.status === 403) {
      const error = await errorOf(response)
      if (error?.code !== '42501' || !('hint' in error)) return response
      const text = await explanationOf(request, rows(), context)
      return text === null ? response : withHint(response, error, text)
    }
    const isEmpty = response.status === 406 ? isMissingRow(await errorOf(response)) : isEmptyAnswer(response)
    if (!isEmpty) return response
    const text = await explanationOf(request, rows(), context)
    return text === null ? response : withHeader(response, text)
  }

  const told = new Map<string, number>()
  const inLog: Wrap = (handle) => async (request, context) => {
    const rows = watchRows(request)
    const response = await handle(request, context)
    const isRefusal = response.status === 401 || response.status === 403
    if (isRefusal || isEmptyAnswer(response)) {
      const error = isRefusal ? await errorOf(response) : null
      // Not awaited, and the stack may end first.
      if (!isRefusal || error?.code === '42501') void write(request, rows(), context, isRefusal).catch(() => undefined)
    }
    return response
  }

  async function write(
    request: Request,
    rows: readonly object[],
    context: RequestContext,
    isRefusal: boolean,
  ): Promise<void> {
    const { method, url, headers } = request
    const { pathname } = splitUrl(url)
    const key = `${method} ${pathname} ${headers.get('authorization') ?? headers.get('apikey')}`
    const now = performance.now()
    if (now - (told.get(key) ?? Number.NEGATIVE_INFINITY) < REPEATED) return
    if (told.size >= REMEMBERED) told.clear()
    told.set(key, now)
    const text = await explanationOf(request, rows, context)
    if (text === null || !(isRefusal || /\bno policy\b/.test(text))) return
    const { requestId } = context
    deps.log.warn(`${method} ${pathname}: ${text} (\`undock explain ${requestId.slice(0, 8)}\`)`, { requestId })
  }

  async function explanationOf(
    request: Request,
    rows: readonly object[],
    { requestId }: RequestContext,
  ): Promise<string | null> {
    try {
      const { pathname, search } = splitUrl(request.url)
      const recorded = {
        service: 'rest',
        method: request.method,
        path: pathname + search,
        headers: Object.fromEntries(request.headers),
        caller: await deps.identity.authenticate(request),
      }
      const tried = rows.length === 0 ? [undefined] : rows.slice(0, TRIED_ROWS)
      let text: string | null = null
      for (const row of tried) {
        const { answer, advice, outcome } = await explainRequest(deps.db, recorded, {
          findTarget: deps.restTargetOf,
          row,
        })
        text = [answer, ...advice].join(' ').slice(0, MAX_LENGTH)
        if (outcome === null || 'code' in outcome) break
      }
      return text
    } catch (error) {
      if (!(error instanceof AccessQuestionError))
        deps.log.error('An answer could not be explained', error, { requestId })
      return null
    }
  }

  return { inAnswers, inLog }
}

/** Collects a body's rows as the Data API reads it. @returns a function for the rows read so far. */
function watchRows(request: Request): () => readonly object[] {
  let parts: Uint8Array[] | null = []
  let size = 0
  watchBody(request, {
    onBytes(bytes) {
      size += bytes.byteLength
      if (size > BODY_SIZE) parts = null
      else parts?.push(bytes)
    },
    onEnd: () => undefined,
  })
  return () => {
    const value = tryJson(Buffer.concat(parts ?? []).toString())
    return (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'object' && one !== null)
  }
}

/** Whether a response that could have rows is empty, by its Content-Range. */
const isEmptyAnswer = ({ status, headers }: Response): boolean =>
  (status === 200 || status === 204) && headers.get('content-range')?.startsWith('*/') === true

/** Whether a single row was requested and missing. */
const isMissingRow = (error: Readonly<Record<string, unknown>> | null): boolean =>
  error?.code === 'PGRST116' && error.details === 'The result contains 0 rows'

async function errorOf(response: Response): Promise<Record<string, unknown> | null> {
  try {
    const value: unknown = await response.clone().json()
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

function withHint(response: Response, error: Readonly<Record<string, unknown>>, text: string): Response {
  const headers = new Headers(response.headers)
  headers.delete('content-length')
  const hint = typeof error.hint === 'string' && error.hint !== '' ? `${error.hint} ${text}` : text
  return new Response(JSON.stringify({ ...error, hint }), {
    status: response.status,
    statusText: response.statusText,
    headers,
  })
}

function withHeader(response: Response, text: string): Response {
  const headers = new Headers(response.headers)
  headers.set(HEADER, text.toWellFormed().replaceAll(/[^ -$&-~]+/gu, encodeURIComponent))
  headers.set('access-control-expose-headers', `${EXPOSED_HEADERS}, Undock-Explain`)
  const { body, status, statusText } = response
  return new Response(body, { status, statusText, headers })
}
