/** The JSON of each server-sent event of a stream. Other data is ignored. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    rest += done ? '\n' : decoder.decode(value, { stream: true })
    const lines = rest.split(/\r?\n/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (!line.startsWith('data:')) continue
      try {
        yield JSON.parse(line.slice(5))
      } catch {
        // The stream was cut off within an event.
      }
    }
    if (done) return
  }
}
