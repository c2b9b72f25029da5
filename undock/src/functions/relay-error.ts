import { ServiceError, type ServiceErrorOptions } from '../kernel/service-error.ts'

// Responses in place of a function's own; texts, codes and statuses are the edge runtime's. The header tells
// functions-js that the function itself didn't answer.

const CATALOGUE = {
  BOOT_ERROR: [503, 'Worker failed to boot (please check logs)'],
  WORKER_ERROR: [500, 'Function exited due to an error (please check logs)'],
  BODY_TOO_LARGE: [413, 'The request body is longer than functions_body under [limits] in supabase/undock.toml allows'],
  WORKER_LIMIT: [546, 'Worker failed to respond due to a resource limit (please check logs)'],
  TIMEOUT: [504, 'The function did not start its response in time (please check logs)'],
} as const satisfies Record<string, readonly [status: number, message: string]>

export type RelayErrorCode = keyof typeof CATALOGUE

/** Why a function didn't respond. The cause is logged. */
export class RelayError extends ServiceError {
  override readonly name = 'RelayError'

  constructor(code: RelayErrorCode, options?: ServiceErrorOptions) {
    const [status, message] = CATALOGUE[code]
    super(code, status, message, options)
  }
}

/** Returns upstream's response, plus the reason a function doesn't boot, which upstream only logs. */
export const relayResponse = ({ code, status, message, cause }: RelayError): Response => {
  const reason = code === 'BOOT_ERROR' && typeof cause === 'string' ? { cause } : {}
  return Response.json({ code, message, ...reason }, { status, headers: { 'x-relay-error': 'true' } })
}

export const notFound = () => new Response('Function not found', { status: 404 })

/** The header tells functions-js that the function itself didn't answer. */
export const unauthorized = (msg: string) =>
  Response.json({ msg }, { status: 401, headers: { 'x-relay-error': 'true' } })
