import type { Attempt, TakenWebhook } from '../_shared/webhooks/delivery.ts'
import { type PostDeps, post } from '../_shared/webhooks/post.ts'
import { signedHeaders } from '../_shared/webhooks/signed-headers.ts'

export type DeliveringDeps = PostDeps & {
  /** The next webhook to which something is due; null when there is none. */
  readonly take: () => Promise<TakenWebhook | null>
  readonly report: (delivery: number, outcome: Attempt) => Promise<void>
  readonly release: (webhook: string, pauseSeconds: number) => Promise<void>
  /** In milliseconds. */
  readonly now?: () => number
  readonly sleep?: (milliseconds: number) => Promise<void>
}

/** Milliseconds after which no further attempt is begun: the database calls again, and a function is stopped after some minutes. */
const BUDGET = 40_000
/** Milliseconds for which the database does not call again, because a call takes what has come meanwhile. */
const CALLED_ONCE_IN = 2_000
/** Milliseconds after which a delivery that has failed is due again, the first time. */
const FIRST_RETRY = 6_000
/** Webhooks that are served at once. */
const AT_ONCE = 4
/** Failures in a row until a receiver counts as out of order, and for how many seconds it is then left alone. */
const MOST_FAILURES = 3
const PAUSE = 60

/** Delivers what is due and what becomes due soon, several webhooks at once and the deliveries of each one after the other. Each attempt
 *  is reported when it has ended, so what a call that is stopped has delivered is not delivered again, but for the one that it was about. */
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

/** @returns whether the receiver is out of order. */
async function deliverAll(
  { url, secrets, deliveries }: TakenWebhook,
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
    if (failures === MOST_FAILURES) return true
  }
  return false
}

const isSuccess = ({ status }: Attempt): boolean => status !== null && status >= 200 && status < 300
