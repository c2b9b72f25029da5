/** Bytes that a command may have, with its line break (RFC 2449, section 4). */
const MAX_LINE = 255

export class LineTooLongError extends Error {
  override readonly name = 'LineTooLongError'
}

/** The lines of a stream without their line breaks, as Latin-1.
 *  @throws {LineTooLongError} */
export async function* linesOf(source: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of source) {
    const lines = (rest + chunk.toString('latin1')).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line.length >= MAX_LINE) throw new LineTooLongError()
      yield line.endsWith('\r') ? line.slice(0, -1) : line
    }
    if (rest.length >= MAX_LINE) throw new LineTooLongError()
  }
}
