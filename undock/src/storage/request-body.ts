import { arrivalOf } from '../kernel/arrival.ts'

/** The most of a refused upload that is read and thrown away (512 MiB). */
const MAX_DISCARDED = 512 * 1024 * 1024

/** The bytes of a request's body as they arrive; the body is not touched before the first of them is asked for.
 *
 *  Whoever stops early waits until the rest was read and thrown away: a client that is still sending reads no answer,
 *  and a connection closed under it looks to it like a broken one. */
export async function* bytesOf(request: Request): AsyncGenerator<Uint8Array> {
  const source = sourceOf(request)
  if (!source) return
  let ended = false
  try {
    for (;;) {
      const { done, value } = await source.next()
      ended = done === true
      if (done) return
      yield value
    }
  } finally {
    if (!ended) await discard(source)
  }
}

/** Does the same for a request that was refused before its body was looked at. */
export async function discardBody(request: Request): Promise<void> {
  const source = sourceOf(request)
  if (source) await discard(source)
}

type Source = { next(): Promise<IteratorResult<Uint8Array>>; cancel(): void }

/** The body to read, unless there is none or somebody reads it already. */
function sourceOf(request: Request): Source | null {
  const arrival = arrivalOf(request)
  if (arrival) {
    if (arrival.readableDidRead || arrival.destroyed) return null
    const iterator = arrival.iterator({ destroyOnReturn: false })
    return { next: () => iterator.next(), cancel: () => arrival.destroy() }
  }
  if (!request.body || request.bodyUsed || request.body.locked) return null
  const reader = request.body.getReader()
  return {
    next: async () => {
      const { done, value } = await reader.read()
      return done ? { done, value: undefined } : { done: false, value }
    },
    cancel: () => void reader.cancel().catch(() => undefined),
  }
}

async function discard(source: Source): Promise<void> {
  try {
    for (let discarded = 0; discarded < MAX_DISCARDED; ) {
      const { done, value } = await source.next()
      if (done) return
      discarded += value.byteLength
    }
    source.cancel()
  } catch {
    // The client is gone, and with it whoever could be told.
  }
}
