import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { AccessEntry } from '../../gateway/gateway.ts'

/** A node's Prometheus metrics. */
export type Metrics = {
  readonly contentType: string
  text(): Promise<string>
  countRequest(entry: AccessEntry): void
}

/** Seconds: from a cached read to an upload. */
const DURATIONS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Counter({
    name: 'undock_requests_total',
    help: 'Requests by service and status.',
    labelNames: ['service', 'status'],
    registers: [registry],
  })
  const durations = new Histogram({
    name: 'undock_request_duration_seconds',
    help: 'Time until the headers of a response were ready.',
    labelNames: ['service'],
    buckets: DURATIONS,
    registers: [registry],
  })
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    countRequest({ service, status, duration }) {
      requests.inc({ service, status })
      durations.observe({ service }, duration / 1_000)
    },
  }
}
