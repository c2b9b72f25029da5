import { ToolError } from './tool.ts'

/** A line of a service's log. @property time ISO 8601, in UTC. */
export type LogLine = { readonly time: string; readonly fields: Readonly<Record<string, unknown>> }

type Window = {
  readonly service: string
  readonly iso_timestamp_start?: string | undefined
  readonly iso_timestamp_end?: string | undefined
}

/** As many as hosted projects answer. */
const MAX_LINES = 100

/** Which file and which of its lines each service of the official tool means. */
const SOURCES: Readonly<Record<string, { readonly file: string; readonly service?: string }>> = {
  api: { file: 'gateway' },
  postgres: { file: 'database' },
  auth: { file: 'auth' },
  storage: { file: 'storage' },
  realtime: { file: 'realtime' },
  'edge-function': { file: 'gateway', service: 'functions' },
  'edge-function-runtime': { file: 'functions' },
}

/** The newest lines within a window of time, the newest first.
 *  @throws {ToolError} for a service that has no log here. */
export async function readWindow(
  readLogs: (service: string) => Promise<readonly LogLine[]>,
  { service, iso_timestamp_start = '', iso_timestamp_end = '\uffff' }: Window,
): Promise<LogLine[]> {
  const source = SOURCES[service]
  if (!source) throw new ToolError(`A local backend has no logs of "${service}".`)
  const lines = (await readLogs(source.file)).filter(
    ({ time, fields }) =>
      time >= iso_timestamp_start &&
      time <= iso_timestamp_end &&
      (source.service === undefined || fields.service === source.service),
  )
  return lines.slice(-MAX_LINES).reverse()
}
