import { QueryClient, type QueryKey, queryOptions } from '@tanstack/react-query'
import type { ProjectFacts } from '../../../src/console/options.ts'
import type { Cell, Field, StatementResult } from '../../../src/console/run-statements.ts'

export type { Cell, Field, ProjectFacts, StatementResult }

/** A refusal by the console's server, a service or Postgres. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  /** SQLSTATE or a service's code. */
  readonly code: string
  readonly detail: string
  readonly hint: string
  /** All fields of the body. */
  readonly fields: Readonly<Record<string, unknown>>
  constructor(status: number, body: unknown) {
    const fields = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
    const text = (...names: string[]) => names.map((name) => fields[name]).find((one) => typeof one === 'string' && one)
    super(String(text('message', 'msg', 'error_description', 'error') ?? `The response has the status ${status}.`))
    this.status = status
    this.code = String(text('code', 'error_code') ?? '')
    this.detail = String(text('detail', 'details') ?? '')
    this.hint = String(text('hint') ?? '')
    this.fields = fields
  }
}

export type Call = {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent unchanged, instead of `body`. */
  readonly raw?: BodyInit
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
  /** A role or user, instead of the secret key; for services only. */
  readonly as?: string | undefined
  /** Whether the data is kept for `undock undo` first; for services only. */
  readonly snapshot?: boolean | undefined
}

/** Sends a request to the console's server. @throws {ApiError} */
export async function api<T>(path: string, call: Call = {}): Promise<T> {
  const response = await request(`/api${path}`, call)
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') === true
  return (isJson && text !== '' ? JSON.parse(text) : text) as T
}

/** Sends a request to a service of the stack, such as `/auth/v1/admin/users`. @throws {ApiError} */
export const service = <T>(path: string, call?: Call): Promise<T> => api(`/services${path}`, call)

/** Returns a service's response object, for files. @throws {ApiError} */
export const serviceResponse = (path: string, call?: Call): Promise<Response> => request(`/api/services${path}`, call)

/** Returns the console server's response object, for streams. @throws {ApiError} */
export const apiResponse = (path: string, call?: Call): Promise<Response> => request(`/api${path}`, call)

/** The header that allows changes to a database that isn't local. */
export const changesHeader = (): Record<string, string> => (areChangesAllowed ? { 'x-console-changes': 'yes' } : {})

async function request(
  path: string,
  { method = 'GET', body, raw, headers, signal, as, snapshot }: Call = {},
): Promise<Response> {
  const response = await fetch(path, {
    method,
    signal: signal ?? null,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...changesHeader(),
      ...(as === undefined ? {} : { 'x-console-as': as }),
      ...(snapshot ? { 'x-console-snapshot': 'yes' } : {}),
      ...headers,
    },
    ...(raw !== undefined ? { body: raw } : body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw noAnswer()
  })
  if (response.ok) return response
  const answer = readAnswer(await response.text())
  if (response.status === 401 && !path.startsWith('/api/services')) renewSession()
  throw new ApiError(response.status, answer)
}

const noAnswer = (): ApiError =>
  new ApiError(0, { message: 'The backend does not respond. Is `undock start` still running?' })

function readAnswer(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return { message: text }
  }
}

/** Sends a large body to the console's server. Only XMLHttpRequest reports upload progress.
 *  @param onSent Called with the number of bytes sent.
 *  @throws {ApiError | DOMException} the latter when the signal aborts. */
export function sendBody<T>(
  path: string,
  body: Blob,
  signal: AbortSignal,
  onSent: (bytes: number) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest()
    sending.open('POST', `/api${path}`)
    for (const [name, value] of Object.entries(changesHeader())) sending.setRequestHeader(name, value)
    sending.upload.onprogress = ({ loaded }) => onSent(loaded)
    sending.onload = () => {
      const answer = readAnswer(sending.responseText)
      if (sending.status === 200) resolve(answer as T)
      else reject(new ApiError(sending.status, answer))
    }
    sending.onerror = () => reject(noAnswer())
    sending.onabort = () => reject(new DOMException('The request was cancelled.', 'AbortError'))
    signal.addEventListener('abort', () => sending.abort(), { once: true })
    sending.send(body)
  })
}

let areChangesAllowed = false

/** Allows this page to change a database that isn't local. */
export function allowChanges(isAllowed: boolean): void {
  areChangesAllowed = isAllowed
}

const RENEWED = 'undock-session-renewed'

/** The session ended with the backend; reloading the page on this machine starts another. At most once a minute, to avoid a reload loop. */
function renewSession(): void {
  if (Date.now() - Number(sessionStorage.getItem(RENEWED)) < 60_000) return
  sessionStorage.setItem(RENEWED, String(Date.now()))
  location.reload()
}

/** @property changes The number of rows it must change; otherwise everything is rolled back. */
export type Statement = {
  readonly text: string
  readonly values?: readonly Cell[]
  readonly limit?: number
  readonly changes?: number
}
type QueryOptions = { readonly as?: string | undefined; readonly signal?: AbortSignal | undefined }
/** @property snapshot Whether to keep the data for `undock undo` before deleting rows; true by default. */
export type WriteOptions = { readonly as?: string | undefined; readonly snapshot?: boolean }

/** Runs read-only statements in one transaction. @throws {ApiError} */
export const read = (statements: readonly Statement[], { as, signal }: QueryOptions = {}): Promise<StatementResult[]> =>
  api('/query', { method: 'POST', signal, body: { statements, as, access: 'read' } })

/** Runs statements in one transaction. @throws {ApiError} */
export const write = (statements: readonly Statement[], options: WriteOptions = {}): Promise<StatementResult[]> =>
  api('/query', { method: 'POST', body: { statements, ...options, access: 'write' } })

/** Runs a script as the project's owner, then statements, and rolls everything back. @throws {ApiError} */
export const tryOut = (
  trial: string,
  statements: readonly Statement[],
  { as, signal }: QueryOptions = {},
): Promise<StatementResult[]> => api('/query', { method: 'POST', signal, body: { statements, as, trial } })

/** The rows of a statement that selects one column of JSON. @throws {ApiError} */
export async function readJson<T>(
  text: string,
  values: readonly Cell[] = [],
  options: QueryOptions = {},
): Promise<T[]> {
  const [result] = await read([{ text, values, limit: 20_000 }], options)
  return (result?.rows ?? []).map(([cell]) => JSON.parse(cell ?? 'null') as T)
}

export const projectQuery = queryOptions({
  queryKey: ['project'],
  queryFn: ({ signal }) => api<ProjectFacts>('/project', { signal }),
})

/** The page's query cache, also for code outside components. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // Refusals aren't retried; a backend that doesn't answer may be starting.
      retry: (failures, error) => failures < 2 && error instanceof ApiError && error.status === 0,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})

/** Refetches active queries whose keys start with this one. @param queryKey Empty for all. */
export const refresh = (queryKey: QueryKey): Promise<void> => queryClient.invalidateQueries({ queryKey })
