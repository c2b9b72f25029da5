import type { LogLine, RecentLines } from '../kernel/log-lines.ts'

/** Milliseconds to wait for more lines to send together. */
const GATHER = 250
/** Lines per message. Sending more than users can read would slow down a busy backend. */
const MAX_LINES_PER_MESSAGE = 100
/** The maximum number of events queued for a client. */
const LIVE_QUEUE = 100

/** Distinguishes the logs of two stacks, whose line numbers overlap. */
const RUN = crypto.randomUUID().slice(0, 8)

/** Sends the log's last lines and each new one as server-sent events until the client disconnects. An event's data is an array of lines;
 *  its id lets a reconnecting client continue. */
export function answerLogs(recent: RecentLines, request: Request): Response {
  const encoder = new TextEncoder()
  let sent = numberOf(request.headers.get('last-event-id'))
  let isFirst = true
  let timer: NodeJS.Timeout | undefined
  let stop = (): void => undefined
  const body = new ReadableStream({
    start(controller) {
      const send = (): void => {
        timer = undefined
        // A slow client gets the lines later, if they're still kept.
        if ((controller.desiredSize ?? 0) < -LIVE_QUEUE) return
        const lines = recent.since(sent)
        sent = recent.last()
        controller.enqueue(encoder.encode(eventOf(isFirst ? lines : newestOf(lines), sent)))
        isFirst = false
      }
      send()
      stop = recent.follow(() => {
        timer ??= setTimeout(send, GATHER)
      })
    },
    cancel() {
      stop()
      clearTimeout(timer)
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

/** The newest of many lines, after one that says how many are missing. */
function newestOf(lines: readonly LogLine[]): readonly LogLine[] {
  const omitted = lines.length - MAX_LINES_PER_MESSAGE
  const last = lines[omitted - 1]
  if (omitted <= 0 || !last) return lines
  const message = `${omitted} lines are left out here; \`undock logs\` prints them`
  return [{ time: last.time, service: 'console', level: 'info', message, fields: {} }, ...lines.slice(omitted)]
}

function numberOf(id: string | null): number {
  const [run, number] = id?.split('.') ?? []
  return run === RUN ? Number(number) || 0 : 0
}

const eventOf = (lines: readonly LogLine[], last: number): string =>
  `id: ${RUN}.${last}\ndata: ${JSON.stringify(lines)}\n\n`
