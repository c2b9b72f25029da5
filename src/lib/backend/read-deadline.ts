/** Milliseconds. Hosted Postgres cancels statements after eight seconds. */
const DEADLINE_MS = 15_000

/** `fetch` for the Supabase client: reads of the Data API (GET, HEAD, function calls) without a response fail with a
 *  `TimeoutError`, so that no screen waits forever. Writes, files and functions have no deadline. */
export const fetchWithReadDeadline: typeof fetch = (input, init) =>
  isRead(input, init?.method)
    ? fetch(input, { ...init, signal: eitherSignal(AbortSignal.timeout(DEADLINE_MS), init?.signal) })
    : fetch(input, init)

function isRead(input: RequestInfo | URL, method = 'GET'): boolean {
  const url = input instanceof Request ? input.url : String(input)
  const [, path] = url.split('/rest/v1/')
  return path !== undefined && (method === 'GET' || method === 'HEAD' || path.startsWith('rpc/'))
}

const eitherSignal = (deadline: AbortSignal, given: AbortSignal | null | undefined): AbortSignal =>
  given ? AbortSignal.any([deadline, given]) : deadline
