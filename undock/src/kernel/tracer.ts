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

/** What a service tells of its work besides its SQL, its mails and its calls. Texts may hold anything: who keeps them removes
 *  secrets. */
export type TracedWork =
  /** A hook of Auth. @property target The address of an endpoint or a function. */
  | { readonly kind: 'hook'; readonly name: string; readonly target: string }
  /** Stored files. @property bytes Null where they are not counted. */
  | { readonly kind: 'file'; readonly action: FileAction; readonly bucket: string; readonly bytes: number | null }
  /** A channel's join. @property verdict `joined`, or why not. @property allowed What policies allow, as far as they were asked:
   *  null for a public channel. */
  | {
      readonly kind: 'join'
      readonly topic: string
      readonly verdict: string
      readonly allowed: Readonly<Record<string, boolean | null>> | null
    }
  /** A message or a change on its way to its subscribers. @property withheld Those who do not get it. */
  | {
      readonly kind: 'delivery'
      readonly event: string
      readonly topic: string
      readonly receivers: number
      readonly withheld: readonly Withheld[]
    }

export type FileAction = 'write' | 'copy' | 'remove'

/** @property count How many subscribers of this caller. */
export type Withheld = { readonly caller: string; readonly reason: WithholdReason; readonly count: number }

/** `policy`: row security; `filter`: the subscriber's own filter; `sender`: it sent the message itself; `replayed`: it has it. */
export type WithholdReason = 'policy' | 'filter' | 'sender' | 'replayed'

/** Work that no HTTP request waits for. @property method Such as `JOIN`. @property parent The id of what caused it, where it is known:
 *  else the current request. */
export type TracedTask = {
  readonly service: string
  readonly method: string
  readonly path: string
  readonly parent: string | null
}

/** Keeps what happens, for people. All of its functions do the given work, and nothing else where nothing is kept. */
export type Tracer = {
  /** Whether anything is kept: what is not free to collect is collected only then. */
  readonly isOn: boolean
  /** Measures a part of the current request. @param what Computed afterwards; its argument is null when the work failed. */
  measure<T>(work: () => Promise<T>, what: (result: T | null) => TracedWork): Promise<T>
  /** Adds a part that takes no time worth measuring to a task, or to the current request. @param what Not called where nothing
   *  is kept. */
  note(what: () => TracedWork, task?: string | null): void
  /** Does work as a task, with all that it causes. @param work Gets the id of the task; null where nothing is kept.
   *  @param statusOf As HTTP counts. */
  task<T>(task: TracedTask, work: (id: string | null) => Promise<T>, statusOf: (result: T) => number): Promise<T>
}

export const NO_TRACER: Tracer = {
  isOn: false,
  measure: (work) => work(),
  note: () => undefined,
  task: (_, work) => work(null),
}
