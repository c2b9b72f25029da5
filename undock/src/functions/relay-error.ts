// What is answered in a function's place. Texts, codes and statuses are those of the edge runtime that
// `supabase start` runs; the header tells functions-js that the function itself never spoke.

const FAULTS = {
  BOOT_ERROR: [503, 'Worker failed to boot (please check logs)'],
  WORKER_ERROR: [500, 'Function exited due to an error (please check logs)'],
  WORKER_LIMIT: [546, 'Worker failed to respond due to a resource limit (please check logs)'],
  TIMEOUT: [504, 'The function did not begin its answer in time (please check logs)'],
} as const satisfies Record<string, readonly [status: number, message: string]>

export type Fault = keyof typeof FAULTS

/** Why a function gave no answer; the cause is for the log. */
export class RelayError extends Error {
  readonly fault: Fault

  constructor(fault: Fault, options?: ErrorOptions) {
    super(FAULTS[fault][1], options)
    this.name = 'RelayError'
    this.fault = fault
  }
}

export const relayStatus = ({ fault }: RelayError): number => FAULTS[fault][0]

export function relayResponse({ fault }: RelayError): Response {
  const [status, message] = FAULTS[fault]
  return Response.json({ code: fault, message }, { status, headers: { 'x-relay-error': 'true' } })
}

export const notFound = () => new Response('Function not found', { status: 404 })

/** With the header, by which functions-js tells a refusal on the way from an answer of the function. */
export const unauthorized = (msg: string) =>
  Response.json({ msg }, { status: 401, headers: { 'x-relay-error': 'true' } })
