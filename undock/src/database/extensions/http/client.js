// Sends one HTTP request for a session that waits for it: base64 JSON on standard input, JSON on standard output. A
// process, because a session can only wait for one. A PostgreSQL server's program embeds this text and its import.
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
    // Postgres text can't contain NUL.
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
