// Sends one HTTP request for a session that waits for it: base64 JSON on standard input, JSON on standard output. A
// process, because a session can only wait for one. A PostgreSQL server's program embeds this text and its import.
import { readFileSync } from 'node:fs'
import { plainFetch, readText } from '../../../kernel/plain-fetch.js'

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
    content: await readText(response),
  }
}

const reasonOf = (error) =>
  error.name === 'TimeoutError' ? `Operation timed out after ${timeout} milliseconds` : error.message

process.stdout.write(JSON.stringify(await respond().catch((error) => ({ error: reasonOf(error) }))))
