/** The most bytes of an external service's answer that are read: as many as a request to Auth may have. */
const MAX_ANSWER_BYTES = 1 << 20

/** Calls external services so that none can fill the memory: an answer that is longer than a mebibyte, unpacked, ends with
 *  an error for whoever reads it. */
export function boundedFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    if (!response.body) return response
    const { status, statusText, headers } = response
    return new Response(response.body.pipeThrough(limit(MAX_ANSWER_BYTES)), { status, statusText, headers })
  }
}

function limit(most: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes > most) throw new Error(`The answer is longer than ${most} bytes`)
      controller.enqueue(chunk)
    },
  })
}
