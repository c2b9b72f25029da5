// One HTTP request for a session that waits for it: a request as JSON in base64 comes in on standard input, the response as JSON
// goes out on standard output. A process of its own, because the session can only wait for that. A PostgreSQL
// server runs its text, with that of its import in it.
import { readFileSync } from 'node:fs'
import { plainFetch } from '../../../kernel/plain-fetch.js'

const MAX_RESPONSE_SIZE = 64 * 1024 ** 2

const { method, uri, headers, contentType, content, timeout } = JSON.parse(
  Buffer.from(readFileSync(0, 'latin1'), 'base64').toString(),
)

async function respond() {
  const response = await plainFetch(uri, {
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
    content: (await readText(response)).replaceAll('\0', ''),
  }
}

async function readText({ body }) {
  const parts = []
  let size = 0
  for await (const part of body ?? []) {
    size += part.length
    if (size > MAX_RESPONSE_SIZE) throw new Error('The response is larger than 64 MB')
    parts.push(part)
  }
  return new TextDecoder().decode(Buffer.concat(parts))
}

const reasonOf = (error) =>
  error.name === 'TimeoutError' ? `Operation timed out after ${timeout} milliseconds` : error.message

process.stdout.write(JSON.stringify(await respond().catch((error) => ({ error: reasonOf(error) }))))
