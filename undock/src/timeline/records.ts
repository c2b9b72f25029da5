import type { TracedWork } from '../kernel/tracer.ts'
import type { RecordedBody } from './bodies.ts'

/** One piece of work that a request caused. Times are in milliseconds; `start` is relative to the request's. */
export type Span = {
  readonly start: number
  readonly duration: number
  /** SQLSTATE and message, or only the message; null if the work succeeded. */
  readonly error: string | null
} & (
  | {
      readonly kind: 'sql'
      readonly role: string | null
      /** Time spent waiting for a session; part of the duration. */
      readonly waited: number
      readonly statements: readonly SqlStatement[]
    }
  | { readonly kind: 'mail'; readonly to: string; readonly subject: string }
  | TracedWork
  | { readonly kind: 'call'; readonly method: string; readonly url: string; readonly status: number | null }
)

/** @property parameters Values without text are shown; of others, type and length. @property rows Null if the statement failed. */
export type SqlStatement = {
  readonly text: string
  readonly parameters: readonly string[]
  readonly rows: number | null
}

/** The caller according to the token or key, which is never recorded itself. */
export type RecordedCaller = { readonly role: string; readonly claims: Readonly<Record<string, unknown>> }

export type RequestRecord = {
  readonly id: string
  /** 32 hexadecimal digits, shared by a request and those made by its edge functions. */
  readonly traceId: string
  /** The request that caused this one, if known. */
  readonly parent: string | null
  /** Its parent span, 16 hexadecimal digits, possibly of a client's own trace. */
  readonly parentSpan: string | null
  /** ISO 8601. */
  readonly time: string
  readonly method: string
  /** With the query, without secrets. */
  readonly path: string
  readonly service: string
  readonly status: number
  /** Until the response's headers were ready. */
  readonly duration: number
  readonly caller: RecordedCaller | null
  readonly headers: Readonly<Record<string, string>>
  readonly spans: readonly Span[]
  /** The number of spans beyond a request's limit. */
  readonly droppedSpans: number
  /** Null without a body, or if bodies aren't kept. */
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
