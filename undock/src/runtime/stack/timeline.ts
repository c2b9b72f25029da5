import { createTimeline, type Timeline } from '../../timeline/timeline.ts'
import type { StackPlace } from '../place/place.ts'
import type { LogFiles } from './log-files.ts'
import type { StackParts } from './parts.ts'

/** Characters kept by the timeline in total. */
const CHARACTERS = 8 * 1024 * 1024

type Place = Pick<StackPlace, 'settings' | 'env'>

/** The collector that receives all requests, if configured. */
const collectorOf = ({ settings, env }: Place): string | undefined =>
  settings.timeline.otlp ?? (env.OTEL_EXPORTER_OTLP_ENDPOINT || undefined)

/** Opens the timeline, exported to a collector if configured; null if it's off. */
export async function openTimeline(
  place: Place,
  { logs, parts, instance }: { logs: LogFiles; parts: StackParts; instance?: string },
): Promise<Timeline | null> {
  const { settings, env } = place
  if (!settings.timeline.enabled) return null
  const timeline = createTimeline({ ...settings.timeline, characters: CHARACTERS })
  const endpoint = collectorOf(place)
  if (!endpoint) return timeline
  const log = logs.logOf('gateway')
  if (!URL.canParse(endpoint)) {
    log.warn('The timeline is not exported: OTEL_EXPORTER_OTLP_ENDPOINT is not a URL')
    return timeline
  }
  const { startOtlpExport } = await import('../../timeline/otlp-export.ts')
  const serviceName = env.OTEL_SERVICE_NAME || 'undock'
  parts.add('the export of the timeline', startOtlpExport(timeline, { endpoint, serviceName, instance, log }))
  return timeline
}

/** Opens a node's timeline, which only a collector reads; null without one. */
export const openNodeTimeline: typeof openTimeline = async (place, deps) =>
  collectorOf(place) === undefined ? null : openTimeline(place, deps)
