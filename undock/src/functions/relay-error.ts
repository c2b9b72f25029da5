import { ServiceError, type ServiceErrorOptions } from '../kernel/service-error.ts'

// Responses in place of a function's own. Texts, codes and statuses are those of the edge runtime that
// `supabase start` runs; by the header functions-js recognises that the function itself did not answer.

const CATALOGUE = {
  BOOT_ERROR: [503, 'Worker failed to boot (please check logs)'],
  WORKER_ERROR: [500, 'Function exited due to an error (please check logs)'],
  BODY_TOO_LARGE: [413, 'The request body is longer than functions_body under [limits] in supabase/undock.toml allows'],
  WORKER_LIMIT: [546, 'Worker failed to respond due to a resource limit (please check logs)'],
  TIMEOUT: [504, 'The function did not begin its answer in time (please check logs)'],
} as const satisfies Record<string, readonly [status: number, message: string]>

export type RelayErrorCode = keyof typeof CATALOGUE

/** Why a function did not respond. The cause goes to the log. */
export class RelayError extends ServiceError {
  override readonly name = 'RelayError'

  constructor(code: RelayErrorCode, options?: ServiceErrorOptions) {
    const [status, message] = CATALOGUE[code]
    super(code, status, message, options)
  }
}

/** Upstream's answer, and why a function does not boot, which upstream writes to its log alone. */
export const relayResponse = ({ code, status, message, cause }: RelayError): Response => {
  const reason = code === 'BOOT_ERROR' && typeof cause === 'string' ? { cause } : {}
  return Response.json({ code, message, ...reason }, { status, headers: { 'x-relay-error': 'true' } })
}

export const notFound = () => new Response('Function not found', { status: 404 })

/** The header tells functions-js that this response does not come from the function. */
export const unauthorized = (msg: string) =>
  Response.json({ msg }, { status: 401, headers: { 'x-relay-error': 'true' } })
