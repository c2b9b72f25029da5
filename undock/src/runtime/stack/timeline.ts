import { createTimeline, type Timeline } from '../../timeline/timeline.ts'
import type { StackPlace } from '../place/place.ts'
import type { LogFiles } from './log-files.ts'
import type { StackParts } from './parts.ts'

/** Characters of all texts that the timeline keeps. */
const CHARACTERS = 8 * 1024 * 1024

/** The timeline, exported to a collector where one is named; null when it is off. */
export async function openTimeline(
  { settings, env }: StackPlace,
  { logs, parts }: { logs: LogFiles; parts: StackParts },
): Promise<Timeline | null> {
  if (!settings.timeline.enabled) return null
  const timeline = createTimeline({ ...settings.timeline, characters: CHARACTERS })
  const endpoint = settings.timeline.otlp ?? env.OTEL_EXPORTER_OTLP_ENDPOINT
  if (!endpoint) return timeline
  const log = logs.logOf('gateway')
  if (!URL.canParse(endpoint)) {
    log.warn('The timeline is not exported: OTEL_EXPORTER_OTLP_ENDPOINT is no address')
    return timeline
  }
  const { startOtlpExport } = await import('../../timeline/otlp-export.ts')
  const serviceName = env.OTEL_SERVICE_NAME || 'undock'
  parts.add('the export of the timeline', startOtlpExport(timeline, { endpoint, serviceName, log }))
  return timeline
}
