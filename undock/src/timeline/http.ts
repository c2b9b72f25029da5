import { z } from 'zod'
import { ServiceError } from '../kernel/service-error.ts'
import { splitUrl } from '../kernel/url.ts'
import { matches, type RequestRecord, type RequestTree, summaryOf } from './records.ts'
import type { Timeline } from './timeline.ts'

const Filter = z.strictObject({
  failed: z.stringbool().optional(),
  slow: z.coerce.number().nonnegative().optional(),
  service: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(50),
})

/** The newest requests matching a filter. */
export function answerRequests(timeline: Timeline | null, request: Request): Response {
  const { limit, ...filter } = filterOf(request)
  return Response.json(running(timeline).list(filter, limit).map(summaryOf))
}

/** A request with everything it caused. @param id Or a prefix. @throws {ServiceError} 404 if it isn't recorded, 409 if recording is off. */
export function findRequest(timeline: Timeline | null, id = ''): RequestTree {
  const tree = running(timeline).find(id)
  if (tree) return tree
  throw new ServiceError('unknown_request', 404, `No request with the id ${id} is kept, or several begin with it.`)
}

/** All recorded requests, oldest first, with everything they caused. */
export const answerAll = (timeline: Timeline | null): Response => Response.json(running(timeline).since(0))

/** Sends answered requests as server-sent events until the client disconnects. If there are more than `MAX_LIVE_REQUESTS` at once, sends
 *  the newest and a comment with the number of the others: an unreadably long list would halve a busy backend's throughput. */
export function answerLive(timeline: Timeline | null, request: Request): Response {
  const { limit: _, ...filter } = filterOf(request)
  const { follow } = running(timeline)
  const encoder = new TextEncoder()
  const waiting: RequestRecord[] = []
  let omitted = 0
  let timer: NodeJS.Timeout | undefined
  let stop = (): void => undefined
  const body = new ReadableStream({
    start(controller) {
      const send = (): void => {
        timer = undefined
        const records = waiting.splice(0)
        const events = records.map((record) => `data: ${JSON.stringify(summaryOf(record))}\n\n`)
        if (omitted > 0) events.unshift(`: ${omitted} more\n\n`)
        omitted = 0
        // A client that doesn't read loses events instead of filling the memory.
        if ((controller.desiredSize ?? 0) > -LIVE_QUEUE) controller.enqueue(encoder.encode(events.join('')))
      }
      controller.enqueue(encoder.encode(': requests follow\n\n'))
      stop = follow((record) => {
        if (!matches(record, filter)) return
        waiting.push(record)
        if (waiting.length > MAX_LIVE_REQUESTS) {
          waiting.shift()
          omitted += 1
        }
        timer ??= setTimeout(send, GATHER)
      })
    },
    cancel() {
      stop()
      clearTimeout(timer)
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' } })
}

/** Milliseconds to wait for more requests to send together. */
const GATHER = 250
/** The maximum number of requests per message. */
const MAX_LIVE_REQUESTS = 50
/** The number of messages that a client can lag behind. */
const LIVE_QUEUE = 100

function running(timeline: Timeline | null): Timeline {
  if (timeline) return timeline
  throw new ServiceError(
    'timeline_off',
    409,
    'The timeline is off: [timeline] enabled = true in supabase/undock.toml turns it on.',
  )
}

function filterOf(request: Request): z.infer<typeof Filter> {
  const parsed = Filter.safeParse(Object.fromEntries(new URLSearchParams(splitUrl(request.url).search)))
  if (parsed.success) return parsed.data
  throw new ServiceError('invalid_filter', 400, `The filter cannot be used: ${z.prettifyError(parsed.error)}`)
}
