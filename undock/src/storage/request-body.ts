/** The most of a refused upload that is read and thrown away (512 MiB). */
const MAX_DISCARDED = 512 * 1024 * 1024

/** The bytes of a request's body as they arrive; the body is not touched before the first of them is asked for.
 *
 *  Whoever stops early waits until the rest was read and thrown away: a client that is still sending reads no answer,
 *  and a connection closed under it looks to it like a broken one. */
export async function* bytesOf(request: Request): AsyncGenerator<Uint8Array> {
  if (!request.body) return
  const reader = request.body.getReader()
  let ended = false
  try {
    for (;;) {
      const { done, value } = await reader.read()
      ended = done
      if (done) return
      yield value
    }
  } finally {
    if (!ended) await discard(reader)
  }
}

/** Does the same for a request that was refused before its body was looked at. */
export async function discardBody(request: Request): Promise<void> {
  if (request.body && !request.bodyUsed && !request.body.locked) await discard(request.body.getReader())
}

async function discard(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  try {
    for (let discarded = 0; discarded < MAX_DISCARDED; ) {
      const { done, value } = await reader.read()
      if (done) return
      discarded += value.byteLength
    }
    await reader.cancel()
  } catch {
    // The client is gone, and with it whoever could be told.
  }
}
