import { setTimeout as sleep } from 'node:timers/promises'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { detectResources, resourceAttributesEnvDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace'
import type { Log } from '../kernel/service.ts'
import { otlpSpansOf } from './otlp-spans.ts'
import type { Timeline } from './timeline.ts'

export type OtlpExportOptions = {
  /** The address of the collector, without `/v1/traces`. */
  readonly endpoint: string
  readonly serviceName: string
  /** Tells processes of the service apart, where there are several. */
  readonly instance?: string | undefined
  readonly log: Log
}

/** Spans that wait, spans of one request to the collector, and milliseconds between two of them. Further spans are dropped. */
const QUEUE = 4_096
const BATCH = 512
const PAUSE = 1_000
/** Milliseconds that the collector has for an answer. */
const TIMEOUT = 3_000

/** Sends each request of the timeline to a collector of OpenTelemetry, as OTLP over HTTP in protobuf. A collector that cannot be
 *  reached is reported once, and again after it was there. */
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
      // What an unreachable collector doesn't accept in time is lost.
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
