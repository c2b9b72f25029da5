// Also runs in a separate process for the extension `http`, so it only imports Node's modules.
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { pipeline, Readable } from 'node:stream'
import { createBrotliDecompress, createUnzip } from 'node:zlib'

const MAX_REDIRECTS = 20
const REDIRECTS = [301, 302, 303, 307, 308]
const WITHOUT_BODY = [204, 205, 304]
const SENDERS = { 'http:': requestHttp, 'https:': requestHttps }
const DECODERS = { gzip: createUnzip, 'x-gzip': createUnzip, deflate: createUnzip, br: createBrotliDecompress }
const MAX_TEXT_SIZE = 64 * 1024 ** 2
/** libcurl's texts of frequent errors. */
const MESSAGES = { ECONNREFUSED: "Couldn't connect to server", ENOTFOUND: "Couldn't resolve host name" }

/** Marks each request, which only this header can tell from a developer's: undock's own routes refuse it. */
export const PROJECT_REQUEST = 'x-undock-project-request'

/** `fetch` for URLs of the project's SQL and settings: without the browsers' forbidden ports, and with the reason in the error's message.
 *  @type {typeof globalThis.fetch} */
export async function plainFetch(input, init) {
  const { url, method, headers, body, redirect, signal } = new Request(input, init)
  let sent = { url: new URL(url), method, headers: new Headers(headers), body: Buffer.alloc(0) }
  if (body) sent.body = Buffer.from(await new Response(body).arrayBuffer())
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const incoming = await exchange(sent, signal)
    const location = REDIRECTS.includes(incoming.statusCode) && redirect !== 'manual' ? incoming.headers.location : null
    if (!location) return toResponse(incoming)
    incoming.destroy()
    if (redirect === 'error') throw new TypeError('unexpected redirect')
    sent = redirected(sent, incoming.statusCode, location)
  }
  throw new TypeError('Number of redirects hit maximum amount')
}

/** Returns a response's text without NUL, which Postgres can't store. @throws for one that would fill the memory.
 *  @param {Response} response */
export async function readText({ body }) {
  const parts = []
  let size = 0
  for await (const part of body ?? []) {
    size += part.length
    if (size > MAX_TEXT_SIZE) throw new Error('The response is larger than 64 MB')
    parts.push(part)
  }
  return new TextDecoder().decode(Buffer.concat(parts)).replaceAll('\0', '')
}

function exchange({ url, method, headers, body }, signal) {
  return new Promise((resolve, reject) => {
    const send = SENDERS[url.protocol]
    if (!send) throw new TypeError('Unsupported protocol')
    const all = { accept: '*/*', ...Object.fromEntries(headers), [PROJECT_REQUEST]: '1' }
    if (body.length > 0 || !['GET', 'HEAD', 'DELETE', 'OPTIONS'].includes(method)) all['content-length'] = body.length
    send(url, { method, headers: all, signal, agent: false })
      .on('response', resolve)
      .on('error', (error) =>
        reject(signal.aborted ? signal.reason : new TypeError(MESSAGES[error.code] ?? error.message, { cause: error })),
      )
      .end(body)
  })
}

function redirected({ url, method, headers, body }, status, location) {
  const next = new URL(location, url)
  if (next.origin !== url.origin) for (const name of ['authorization', 'cookie', 'host']) headers.delete(name)
  const isPlain = status === 303 ? method !== 'HEAD' : status < 303 && method === 'POST'
  if (!isPlain) return { url: next, method, headers, body }
  for (const name of [...headers.keys()].filter((one) => one.startsWith('content-'))) headers.delete(name)
  return { url: next, method: 'GET', headers, body: Buffer.alloc(0) }
}

function toResponse(incoming) {
  const headers = new Headers()
  const { rawHeaders, statusCode: status } = incoming
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at], rawHeaders[at + 1])
  if (WITHOUT_BODY.includes(status) || incoming.req.method === 'HEAD') {
    incoming.resume()
    return new Response(null, { status, headers })
  }
  const decoder = DECODERS[headers.get('content-encoding')?.trim().toLowerCase()]?.()
  // The body's reader gets errors of either stream.
  const stream = decoder ? pipeline(incoming, decoder, () => undefined) : incoming
  return new Response(Readable.toWeb(stream), { status, headers })
}
