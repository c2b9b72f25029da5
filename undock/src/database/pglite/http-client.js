// One HTTP request for a session that waits for it: a request as JSON comes in on standard input, the answer as JSON
// goes out on standard output. A process of its own, because the session's thread can only wait for that.
import { readFileSync } from 'node:fs'

const { method, uri, headers, contentType, content, timeout } = JSON.parse(readFileSync(0, 'utf8'))

async function exchange() {
  const response = await fetch(uri, {
    method,
    headers: [...headers, ...(contentType ? [['content-type', contentType]] : [])],
    body: content === null || method === 'GET' || method === 'HEAD' ? null : content,
    signal: AbortSignal.timeout(timeout),
  })
  return {
    status: response.status,
    contentType: response.headers.get('content-type'),
    headers: [...response.headers],
    // Postgres' texts hold no NUL.
    content: (await response.text()).replaceAll('\0', ''),
  }
}

const reasonOf = (error) =>
  error.name === 'TimeoutError'
    ? `Operation timed out after ${timeout} milliseconds`
    : (error.cause?.message ?? error.message)

process.stdout.write(JSON.stringify(await exchange().catch((error) => ({ error: reasonOf(error) }))))
