import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Attributes, type HrTime, SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import {
  detectResources,
  type Resource,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace'
import type { Log } from '../kernel/service.ts'
import { spanIdOf } from '../kernel/tracer.ts'
import { splitUrl } from '../kernel/url.ts'
import type { RequestRecord, Span } from './records.ts'
import type { Timeline } from './timeline.ts'

export type OtlpExportOptions = {
  /** The collector's URL, without `/v1/traces`. */
  readonly endpoint: string
  readonly serviceName: string
  /** Distinguishes several processes of the service. */
  readonly instance?: string | undefined
  readonly log: Log
}

/** The maximum number of queued spans (others are dropped), spans per request to the collector, and milliseconds between requests. */
const QUEUE = 4_096
const BATCH = 512
const PAUSE = 1_000
/** Milliseconds to wait for the collector's response. */
const TIMEOUT = 3_000

/** Sends the timeline's requests to an OpenTelemetry collector, as OTLP over HTTP in protobuf. Reports an unreachable collector once, and
 *  again after it was reachable. */
export function startOtlpExport(
  timeline: Timeline,
  { endpoint, serviceName, instance, log }: OtlpExportOptions,
): { close(): Promise<void> } {
  const resource = resourceFromAttributes({
    'service.name': serviceName,
    ...(instance !== undefined && { 'service.instance.id': instance }),
  }).merge(detectResources({ detectors: [resourceAttributesEnvDetector] }))
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`
  const exporter = reporting(new OTLPTraceExporter({ url, timeoutMillis: TIMEOUT }), endpoint, log)
  const processor = new BatchSpanProcessor({
    exporter,
    maxQueueSize: QUEUE,
    maxExportBatchSize: BATCH,
    scheduledDelayMillis: PAUSE,
    exportTimeoutMillis: TIMEOUT,
  })
  const stop = timeline.follow((record) => {
    for (const span of otlpSpansOf(record, resource)) processor.onEnd(span)
  })
  return {
    async close() {
      stop()
      // Spans that the collector doesn't accept in time are lost.
      await Promise.race([processor.shutdown().catch(() => undefined), sleep(TIMEOUT, undefined, { ref: false })])
    },
  }
}

function reporting(exporter: OTLPTraceExporter, endpoint: string, log: Log): SpanExporter {
  let isDown = false
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.error && !isDown)
          log.warn(`The timeline cannot be exported to ${endpoint}: ${result.error.message || 'no answer'}`)
        if (!result.error && isDown) log.info(`The timeline is exported to ${endpoint} again`)
        isDown = result.error !== undefined
        done(result)
      })
    },
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  }
}

type Described = {
  readonly name: string
  readonly kind: SpanKind
  readonly attributes: Attributes
}

/** Converts a request and what it caused to OpenTelemetry spans, named by its semantic conventions if possible. */
function otlpSpansOf(record: RequestRecord, resource: Resource): ReadableSpan[] {
  const began = Date.parse(record.time)
  const spanId = spanIdOf(record.id)
  const make = (
    { name, kind, attributes }: Described,
    ids: { readonly spanId: string; readonly parent: string | null },
    { start, duration }: { readonly start: number; readonly duration: number },
    fault: string | null,
  ): ReadableSpan => {
    const context = (id: string) => ({ traceId: record.traceId, spanId: id, traceFlags: TraceFlags.SAMPLED })
    return {
      name,
      kind,
      attributes,
      spanContext: () => context(ids.spanId),
      ...(ids.parent !== null && { parentSpanContext: context(ids.parent) }),
      startTime: timeOf(began + start),
      endTime: timeOf(began + start + duration),
      duration: timeOf(duration),
      status: fault === null ? { code: SpanStatusCode.UNSET } : { code: SpanStatusCode.ERROR, message: fault },
      ended: true,
      links: [],
      events: [],
      resource,
      instrumentationScope: { name: 'undock' },
      droppedAttributesCount: 0,
      droppedEventsCount: 0,
      droppedLinksCount: 0,
    }
  }
  const fault = record.status >= 500 ? `HTTP ${record.status}` : null
  return [
    make(
      describeRequest(record),
      { spanId, parent: record.parentSpan },
      { start: 0, duration: record.duration },
      fault,
    ),
    ...record.spans.map((span) =>
      make(describeSpan(span), { spanId: randomBytes(8).toString('hex'), parent: spanId }, span, span.error),
    ),
  ]
}

/** @param milliseconds With fractions. */
function timeOf(milliseconds: number): HrTime {
  const seconds = Math.floor(milliseconds / 1000)
  return [seconds, Math.round((milliseconds - seconds * 1000) * 1_000_000)]
}

function describeRequest({ id, method, path, service, status, caller, headers }: RequestRecord): Described {
  const isHttp = path.startsWith('/')
  const { pathname, search } = isHttp ? splitUrl(`http://undock${path}`) : { pathname: path, search: '' }
  return {
    // A low-cardinality name: the service and the first segment, such as a table.
    name: `${method} ${isHttp ? pathname.split('/').slice(0, 4).join('/') : path}`,
    kind: isHttp ? SpanKind.SERVER : SpanKind.INTERNAL,
    attributes: defined({
      'http.request.method': isHttp ? method : undefined,
      'url.path': isHttp ? pathname : undefined,
      'url.query': search === '' ? undefined : search.slice(1),
      'http.response.status_code': status,
      'user_agent.original': headers['user-agent'],
      'user.id': typeof caller?.claims.sub === 'string' ? caller.claims.sub : undefined,
      'user.roles': caller ? [caller.role] : undefined,
      'undock.service': service,
      'undock.request_id': id,
    }),
  }
}

function describeSpan(span: Span): Described {
  switch (span.kind) {
    case 'sql': {
      const texts = span.statements.map(({ text }) => text)
      // A batch's other statements set and read settings.
      const main = span.statements.find(({ text }) => !/set_config|current_setting/.test(text)) ?? span.statements[0]
      return {
        name: /^\s*(\w+)/.exec(main?.text ?? '')?.[1]?.toUpperCase() ?? 'SQL',
        kind: SpanKind.CLIENT,
        attributes: defined({
          'db.system.name': 'postgresql',
          'db.query.text': texts.join(';\n'),
          'db.response.returned_rows': main?.rows ?? undefined,
          'db.response.status_code': /^([0-9A-Z]{5}): /.exec(span.error ?? '')?.[1],
          'undock.role': span.role ?? undefined,
          'undock.waited_ms': span.waited,
        }),
      }
    }
    case 'call':
      return {
        name: span.method,
        kind: SpanKind.CLIENT,
        attributes: defined({
          'http.request.method': span.method,
          'url.full': span.url,
          'http.response.status_code': span.status ?? undefined,
        }),
      }
    case 'mail':
      return {
        name: 'mail',
        kind: SpanKind.CLIENT,
        attributes: { 'undock.to': span.to, 'undock.subject': span.subject },
      }
    case 'hook':
      return { name: `hook ${span.name}`, kind: SpanKind.CLIENT, attributes: { 'undock.target': span.target } }
    case 'file':
      return {
        name: `${span.action} file`,
        kind: SpanKind.INTERNAL,
        attributes: defined({ 'undock.bucket': span.bucket, 'undock.bytes': span.bytes ?? undefined }),
      }
    case 'join':
      return {
        name: 'join',
        kind: SpanKind.INTERNAL,
        attributes: { 'undock.topic': span.topic, 'undock.verdict': span.verdict },
      }
    case 'delivery':
      return {
        name: `deliver ${span.event}`,
        kind: SpanKind.PRODUCER,
        attributes: {
          'undock.topic': span.topic,
          'undock.receivers': span.receivers,
          'undock.withheld': span.withheld.map(({ caller, reason, count }) => `${count} of ${caller}: ${reason}`),
        },
      }
  }
}

const defined = (attributes: Readonly<Record<string, Attributes[string] | undefined>>): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined))
