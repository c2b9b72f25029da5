import type { TracedWork } from '../kernel/tracer.ts'
import type { RecordedBody } from './bodies.ts'

/** One piece of work that a request caused. Times are milliseconds; `start` counts from the beginning of the request. */
export type Span = {
  readonly start: number
  readonly duration: number
  /** SQLSTATE and message, or the message alone; null when the work succeeded. */
  readonly error: string | null
} & (
  | {
      readonly kind: 'sql'
      readonly role: string | null
      /** Until the work had its session, because others used it; a part of the duration. */
      readonly waited: number
      readonly statements: readonly SqlStatement[]
    }
  | { readonly kind: 'mail'; readonly to: string; readonly subject: string }
  | TracedWork
  | { readonly kind: 'call'; readonly method: string; readonly url: string; readonly status: number | null }
)

/** @property parameters Values that hold no text are shown; of all others the type and the length.
 *  @property rows Null when the statement failed. */
export type SqlStatement = {
  readonly text: string
  readonly parameters: readonly string[]
  readonly rows: number | null
}

/** The caller according to the token or key, which is never recorded itself. */
export type RecordedCaller = { readonly role: string; readonly claims: Readonly<Record<string, unknown>> }

export type RequestRecord = {
  readonly id: string
  /** 32 hexadecimal digits: the same for a request and those that its edge functions make. */
  readonly traceId: string
  /** The request that caused this one; null when none is known. */
  readonly parent: string | null
  /** The span that it belongs to, 16 hexadecimal digits: also one of a client that traces by itself. */
  readonly parentSpan: string | null
  /** ISO 8601. */
  readonly time: string
  readonly method: string
  /** With the query, in which secrets are replaced. */
  readonly path: string
  readonly service: string
  readonly status: number
  /** Until the headers of the response were ready. */
  readonly duration: number
  readonly caller: RecordedCaller | null
  readonly headers: Readonly<Record<string, string>>
  readonly spans: readonly Span[]
  /** Spans beyond the limit of a request. */
  readonly droppedSpans: number
  /** Null for a request or response without one, and where bodies are not kept. */
  readonly requestBody: RecordedBody | null
  readonly responseBody: RecordedBody | null
}

/** A request without its spans, for lists. */
export type RequestSummary = Omit<
  RequestRecord,
  'spans' | 'headers' | 'droppedSpans' | 'requestBody' | 'responseBody'
> & { readonly statements: number }

export type RequestTree = RequestRecord & { readonly children: readonly RequestTree[] }

export function summaryOf(record: RequestRecord): RequestSummary {
  const { spans, headers: _, droppedSpans: __, requestBody: ___, responseBody: ____, ...summary } = record
  const statements = spans.reduce((count, span) => count + (span.kind === 'sql' ? span.statements.length : 0), 0)
  return { ...summary, statements }
}

/** Which requests a list shows. @property slow Milliseconds. */
export type RequestFilter = {
  readonly failed?: boolean | undefined
  readonly slow?: number | undefined
  readonly service?: string | undefined
}

export const matches = (
  record: Pick<RequestRecord, 'status' | 'duration' | 'service' | 'spans'>,
  { failed, slow, service }: RequestFilter,
): boolean =>
  (failed !== true || record.status >= 400 || record.spans.some(({ error }) => error !== null)) &&
  (slow === undefined || record.duration >= slow) &&
  (service === undefined || record.service === service)
