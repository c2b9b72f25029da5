/** The JSON of each server-sent event of a stream. What is no JSON is left out. */
export async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
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
        // Half of an event that broke off.
      }
    }
    if (done) return
  }
}
