import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { watchBody } from '../kernel/request-body.ts'
import type { Principal, RequestContext, RequestHandler } from '../kernel/service.ts'
import { spanIdOf, type TraceContext, type TracedTask, type Tracer, traceContextOf } from '../kernel/tracer.ts'
import { collectBody, type RecordedBody, watchResponse } from './bodies.ts'
import { matches, type RequestFilter, type RequestRecord, type RequestTree, type Span } from './records.ts'
import { keptClaims, keptHeaders, readableAddress, readablePath, readableWork } from './redaction.ts'
import { createRing, type Draft, type RingLimits } from './ring.ts'

/** A span as reported by the code that did the work. */
export type Work = Span extends infer One
  ? One extends Span
    ? Omit<One, 'start' | 'duration' | 'error'>
    : never
  : never

/** @property request The id of the request. @property began Milliseconds since the epoch. @property duration Milliseconds. */
type OutgoingCall = {
  readonly request: string
  readonly method: string
  readonly url: string
  readonly status: number | null
  readonly error: string | null
  readonly began: number
  readonly duration: number
}

/** Measures one piece of work.
 *  @param what Computed after the work, from its result if it succeeded. @param began When it began, if not now. */
type Measure = <T>(work: () => Promise<T>, what: (result: T | null) => Work, began?: number) => Promise<T>

export type Timeline = {
  /** Measures everything a request causes until its response. Of more than 1,000 a second, only the first are recorded, and failed
   *  ones without what they caused, unless a client follows. Gain: 8 % of the reads by key of a busy backend. */
  wrapHandler(service: string, handle: RequestHandler): RequestHandler
  /** The current request's measure; null outside of one. */
  current(): Measure | null
  /** Sets the caller of the current request. */
  setCaller(principal: Principal): void
  /** Adds a call made by an edge function while handling a request. */
  addCall(call: OutgoingCall): void
  /** The newest requests first. */
  list(filter: RequestFilter, limit: number): RequestRecord[]
  /** A request with those it caused. @param id Or a prefix. @returns null if none or several match. */
  find(id: string): RequestTree | null
  /** The requests since a time, oldest first, without those caused by another.
   *  @param time Milliseconds since the epoch. */
  since(time: number): RequestTree[]
  readonly keepsBodies: boolean
  /** For services: their work besides SQL, mails and calls. */
  readonly tracer: Tracer
  /** A request's caller with all claims; null if unknown. */
  principalOf(id: string): Principal | null
  /** Calls the listener with each answered request until the returned function is called. */
  follow(listener: (record: RequestRecord) => void): () => void
}

export type TimelineLimits = RingLimits & {
  /** Whether to keep request and response bodies, without secrets. */
  readonly bodies?: boolean
}

/** Milliseconds after the response in which work, such as a timer, still belongs to the request. */
const AFTERWARDS = 60_000
/** Longer texts, such as migrations, are truncated. */
const STATEMENT_LENGTH = 20_000

/** Records what the last requests did, in memory and within limits. */
export function createTimeline(limits: TimelineLimits): Timeline {
  const requests = new AsyncLocalStorage<Draft>()
  const ring = createRing(limits)
  const { kept } = ring
  const listeners = new Set<(record: RequestRecord) => void>()

  function open(service: string, request: Request, { requestId }: RequestContext, began: number): Draft {
    const trace = request.headers.has('traceparent') ? traceContextOf(request.headers, requestId) : null
    return ring.open({
      id: requestId,
      service,
      method: request.method,
      path: readablePath(request.url, service),
      headers: keptHeaders(request.headers),
      began,
      trace,
      parent: trace && parentOf(trace),
      afterwards: AFTERWARDS,
    })
  }

  function parentOf({ parentSpan }: TraceContext): string | null {
    if (parentSpan === null) return null
    // Compared as ids are written: this passes all of them for each request of a client that traces.
    const end = `${parentSpan.slice(0, 4)}-${parentSpan.slice(4)}`
    for (const id of kept.keys()) if (id.endsWith(end)) return id
    return null
  }

  const measureFor =
    (record: Draft): Measure =>
    async (work, what, began = performance.now()) => {
      const add = (error: string | null, result: Parameters<typeof what>[0]): void =>
        ring.addSpan(record, {
          start: rounded(began - record.began),
          duration: rounded(performance.now() - began),
          error,
          ...what(result),
        } as Span)
      try {
        const result = await work()
        add(null, result)
        return result
      } catch (error) {
        add(errorText(error), null)
        throw error
      }
    }

  function finish(record: Draft, status: number): void {
    record.status = status
    record.duration = rounded(performance.now() - record.began)
    for (const listener of listeners) listener(recordOf(record))
  }

  /** Handles a request whose bodies are kept. */
  async function answerWatched(record: Draft, request: Request, answer: () => Promise<Response>): Promise<Response> {
    const { service } = record
    const received = collectBody({ service, type: request.headers.get('content-type') })
    if (hasBody(request)) watchBody(request, received)
    const keep = (side: 'requestBody' | 'responseBody', body: RecordedBody | null): void => {
      record[side] = body
      if (body && 'text' in body) ring.grow(record, body.text.length)
    }
    try {
      const response = await answer()
      const sent = collectBody({ service, type: response.headers.get('content-type') }, () =>
        keep('responseBody', sent.body()),
      )
      return watchResponse(response, sent)
    } finally {
      if (hasBody(request)) keep('requestBody', received.body())
    }
  }

  function treeOf(record: Draft): RequestTree {
    const children = [...kept.values()].filter(({ parent }) => parent === record.id).map(treeOf)
    return { ...recordOf(record), children }
  }

  /** Starts an entry for work outside HTTP requests. */
  function openTask({ service, method, path, parent: known }: TracedTask): Draft {
    const parent = known ?? requests.getStore()?.id ?? null
    const trace = kept.get(parent ?? '')?.trace ?? (parent === null ? null : traceContextOf(NO_HEADERS, parent))
    return ring.open({
      id: randomUUID(),
      service,
      method,
      path: path.startsWith('/') ? readablePath(`http://undock${path}`, service) : path,
      headers: {},
      began: performance.now(),
      trace,
      parent,
      afterwards: Number.POSITIVE_INFINITY,
    })
  }

  const tracer: Tracer = {
    isOn: true,
    measure(work, what) {
      const record = requests.getStore()
      return record ? measureFor(record)(work, (result) => readableWork(what(result))) : work()
    },
    note(what, task) {
      const record = task ? kept.get(task) : requests.getStore()
      if (!record) return
      const start = rounded(performance.now() - record.began)
      ring.addSpan(record, { start, duration: 0, error: null, ...readableWork(what()) })
    },
    task(task, work, statusOf) {
      const record = openTask(task)
      return requests.run(record, async () => {
        try {
          const result = await work(record.id)
          finish(record, statusOf(result))
          return result
        } catch (error) {
          finish(record, 500)
          throw error
        }
      })
    },
  }

  return {
    tracer,
    wrapHandler: (service, handle) => (request, context) => {
      const began = performance.now()
      const record = listeners.size > 0 || ring.admit() ? open(service, request, context, began) : null
      const answer = async () => handle(request, context)
      const end = (status: number) => {
        if (record || status >= 400) finish(record ?? open(service, request, context, began), status)
      }
      const work = async () => {
        try {
          const response = await (record && limits.bodies ? answerWatched(record, request, answer) : answer())
          end(response.status)
          return response
        } catch (error) {
          end(500)
          throw error
        }
      }
      return record ? requests.run(record, work) : work()
    },
    current() {
      const record = requests.getStore()
      return record ? measureFor(record) : null
    },
    setCaller(principal) {
      const record = requests.getStore()
      if (record) record.caller = principal
    },
    addCall({ request, method, url, status, error, began, duration }) {
      const record = kept.get(request)
      if (!record) return
      const start = Math.max(0, began - performance.timeOrigin - record.began)
      const call = { kind: 'call', method, url: readableAddress(url), status } as const
      ring.addSpan(record, { start: rounded(start), duration: rounded(duration), error, ...call })
    },
    list(filter, limit) {
      const records: RequestRecord[] = []
      for (const record of [...kept.values()].reverse()) {
        if (records.length >= limit) break
        if (record.status !== 0 && matches(record, filter)) records.push(recordOf(record))
      }
      return records
    },
    find(id) {
      const match = kept.get(id) ?? onlyOne([...kept.values()].filter((record) => record.id.startsWith(id)))
      return match ? treeOf(match) : null
    },
    since: (time) =>
      [...kept.values()].filter((record) => record.time >= time && !kept.has(record.parent ?? '')).map(treeOf),
    keepsBodies: limits.bodies === true,
    principalOf: (id) => kept.get(id)?.caller ?? null,
    follow(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

function recordOf(draft: Draft): RequestRecord {
  const { began: _, size: __, afterwards: ___, time, trace, caller, ...record } = draft
  return {
    ...record,
    time: new Date(time).toISOString(),
    parentSpan: draft.parent === null ? (trace?.parentSpan ?? null) : spanIdOf(draft.parent),
    traceId: trace?.traceId ?? traceContextOf(NO_HEADERS, draft.id).traceId,
    caller: caller && { role: caller.role, claims: keptClaims(caller.claims) },
  }
}

const hasBody = ({ headers }: Request): boolean =>
  (headers.get('content-length') ?? '0') !== '0' || headers.has('transfer-encoding')

const NO_HEADERS = new Headers()

const onlyOne = <T>(list: readonly T[]): T | undefined => (list.length === 1 ? list[0] : undefined)

const rounded = (milliseconds: number): number => Math.round(milliseconds * 100) / 100

function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error && typeof error.code === 'string' ? `${error.code}: ${error.message}` : error.message
}

export const cutStatement = (text: string): string =>
  text.length > STATEMENT_LENGTH ? `${text.slice(0, STATEMENT_LENGTH)}…` : text
