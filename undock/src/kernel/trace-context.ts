/** The place of a request in a trace (W3C Trace Context).
 *  @property traceId 32 hexadecimal digits, the same for all requests that belong together.
 *  @property parentSpan 16 hexadecimal digits: what the request was made by; null when it began the trace. */
export type TraceContext = { readonly traceId: string; readonly parentSpan: string | null }

const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}$/

/** Reads the header `traceparent`; a request without a valid one begins a trace of its own, named after its id (a UUID). */
export function traceContextOf(headers: Headers, requestId: string): TraceContext {
  const [, traceId, parentSpan] = TRACEPARENT.exec(headers.get('traceparent') ?? '') ?? []
  return traceId === undefined || parentSpan === undefined
    ? { traceId: requestId.replaceAll('-', ''), parentSpan: null }
    : { traceId, parentSpan }
}

/** The id of a request's own span. */
export const spanIdOf = (requestId: string): string => requestId.replaceAll('-', '').slice(-16)

/** The header for requests that this one causes. */
export const traceparentFor = ({ traceId }: TraceContext, requestId: string): string =>
  `00-${traceId}-${spanIdOf(requestId)}-01`
