/** A request's place in a trace (W3C Trace Context).
 *  @property traceId 32 hexadecimal digits, the same for all related requests.
 *  @property parentSpan 16 hexadecimal digits of the caller; null if the request began the trace. */
export type TraceContext = { readonly traceId: string; readonly parentSpan: string | null }

const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}$/

/** Reads the header `traceparent`; without a valid one a request begins a trace named after its id (a UUID). */
export function traceContextOf(headers: Headers, requestId: string): TraceContext {
  const [, traceId, parentSpan] = TRACEPARENT.exec(headers.get('traceparent') ?? '') ?? []
  return traceId === undefined || parentSpan === undefined
    ? { traceId: requestId.replaceAll('-', ''), parentSpan: null }
    : { traceId, parentSpan }
}

/** Returns the id of a request's own span. */
export const spanIdOf = (requestId: string): string => requestId.replaceAll('-', '').slice(-16)

/** Returns the header for requests caused by this one. */
export const traceparentFor = ({ traceId }: TraceContext, requestId: string): string =>
  `00-${traceId}-${spanIdOf(requestId)}-01`

/** Work of a service besides SQL, mails and calls. Texts may contain secrets, which the recorder removes. */
export type TracedWork =
  /** A hook of Auth. @property target The address of an endpoint or a function. */
  | { readonly kind: 'hook'; readonly name: string; readonly target: string }
  /** Stored files. @property bytes Null if not counted. */
  | { readonly kind: 'file'; readonly action: FileAction; readonly bucket: string; readonly bytes: number | null }
  /** @property verdict `joined`, or why not. @property allowed What policies allow; null for a public channel. */
  | {
      readonly kind: 'join'
      readonly topic: string
      readonly verdict: string
      readonly allowed: Readonly<Record<string, boolean | null>> | null
    }
  /** The delivery of a message or change. @property withheld Subscribers that don't get it. */
  | {
      readonly kind: 'delivery'
      readonly event: string
      readonly topic: string
      readonly receivers: number
      readonly withheld: readonly Withheld[]
    }

export type FileAction = 'write' | 'copy' | 'remove'

/** @property count The number of this caller's subscribers. */
export type Withheld = { readonly caller: string; readonly reason: WithholdReason; readonly count: number }

/** `policy`: row security; `filter`: the subscriber's filter; `sender`: its own message; `replayed`: already received. */
export type WithholdReason = 'policy' | 'filter' | 'sender' | 'replayed'

/** Work outside HTTP requests. @property method Such as `JOIN`. @property parent Its cause, or the current request. */
export type TracedTask = {
  readonly service: string
  readonly method: string
  readonly path: string
  readonly parent: string | null
}

/** Records what happens, for users. If nothing is recorded, all functions just do the given work. */
export type Tracer = {
  /** Whether anything is recorded, to avoid expensive collection otherwise. */
  readonly isOn: boolean
  /** Measures a part of the current request. @param what Computed afterwards; its argument is null if the work failed. */
  measure<T>(work: () => Promise<T>, what: (result: T | null) => TracedWork): Promise<T>
  /** Adds an instantaneous part to a task, or to the current request. @param what Only called if recording. */
  note(what: () => TracedWork, task?: string | null): void
  /** Runs work as a task, with everything it causes. @param work Receives the task's id; null if nothing is recorded.
   *  @param statusOf An HTTP-style status. */
  task<T>(task: TracedTask, work: (id: string | null) => Promise<T>, statusOf: (result: T) => number): Promise<T>
}

export const NO_TRACER: Tracer = {
  isOn: false,
  measure: (work) => work(),
  note: () => undefined,
  task: (_, work) => work(null),
}
