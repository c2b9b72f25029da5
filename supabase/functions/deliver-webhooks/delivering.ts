import type { Attempt, ClaimedWebhook } from '../_shared/webhooks/delivery.ts'
import { type PostDeps, post, signedHeaders } from '../_shared/webhooks/post.ts'

export type DeliveringDeps = PostDeps & {
  /** Returns the next webhook with due deliveries, or null. */
  readonly take: () => Promise<ClaimedWebhook | null>
  readonly report: (delivery: number, outcome: Attempt) => Promise<void>
  readonly release: (webhook: string, pauseSeconds: number) => Promise<void>
  readonly now?: () => number
  readonly sleep?: (milliseconds: number) => Promise<void>
}

/** Milliseconds after which no attempt is started: functions are time-limited, and the database calls again. */
const BUDGET = 40_000
/** The database calls at most once in this many milliseconds, so a call also handles what becomes due meanwhile. */
const CALLED_ONCE_IN = 2_000
/** Milliseconds until the first retry. */
const FIRST_RETRY = 6_000
const AT_ONCE = 4
/** Consecutive failures after which a receiver is paused, and seconds of that pause. */
const MAX_FAILURES = 3
const PAUSE = 60

/** Delivers what is due, several webhooks in parallel and each one's deliveries in order. Reports every attempt as it
 *  ends, so a stopped call repeats at most the deliveries in flight. */
export async function deliverWebhooks(deps: DeliveringDeps): Promise<{ delivered: number; failed: number }> {
  const all = { now: Date.now, sleep: pause, ...deps }
  const end = all.now() + BUDGET
  const counts = { delivered: 0, failed: 0 }
  const serve = () => Promise.all(Array.from({ length: AT_ONCE }, () => serveWebhooks(all, end, counts)))
  await serve()
  for (let before = -1, failed = 0; before < counts.delivered + counts.failed && all.now() < end; ) {
    const wait = counts.failed > failed ? FIRST_RETRY : CALLED_ONCE_IN
    before = counts.delivered + counts.failed
    failed = counts.failed
    await all.sleep(wait)
    await serve()
  }
  return counts
}

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

type Counts = { delivered: number; failed: number }

async function serveWebhooks(deps: Required<DeliveringDeps>, end: number, counts: Counts): Promise<void> {
  while (deps.now() < end) {
    const taken = await deps.take()
    if (taken === null) return
    const isOutOfOrder = await deliverAll(taken, deps, end, counts)
    await deps.release(taken.webhook, isOutOfOrder ? PAUSE : 0)
  }
}

/** @returns whether the receiver failed too often. */
async function deliverAll(
  { url, secrets, deliveries }: ClaimedWebhook,
  deps: Required<DeliveringDeps>,
  end: number,
  counts: Counts,
): Promise<boolean> {
  let failures = 0
  for (const { id, message_id, payload } of deliveries ?? []) {
    if (deps.now() >= end) return false
    const body = JSON.stringify(payload)
    const headers = signedHeaders(secrets, message_id, body, new Date(deps.now()))
    const outcome = await post(url, headers, body, deps)
    await deps.report(id, outcome)
    const isDelivered = isSuccess(outcome)
    counts[isDelivered ? 'delivered' : 'failed'] += 1
    failures = isDelivered ? 0 : failures + 1
    if (failures === MAX_FAILURES) return true
  }
  return false
}

const isSuccess = ({ status }: Attempt): boolean => status !== null && status >= 200 && status < 300
