import type { IncomingMessage } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { type Problem, problemOf } from '../errors.ts'
import { findHost, type HostDeps, portOf, requestTo } from '../web/public-host.ts'
import type { Attempt } from './delivery.ts'

export type PostDeps = HostDeps & {
  /** Milliseconds for everything, from name resolution to the end of the response. */
  readonly timeout: number
}

export const TIMEOUT = 10_000

/** Bytes of a response that are read, and that are kept. */
const MAX_READ_BYTES = 64 * 1024
const MAX_KEPT_BYTES = 1024

/** Sends one POST to a receiver. Checks the address each time and connects to the checked address. Doesn't follow
 *  redirects. Never throws: errors are part of the outcome. */
export async function post(
  address: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  deps: PostDeps,
): Promise<Attempt> {
  const stop = AbortSignal.timeout(deps.timeout)
  try {
    const url = new URL(address)
    const target = await unless(stop, findHost(url, deps))
    if (target === 'unknown') return failed(problemOf('receiver_unknown', { host: url.hostname }))
    if (target === 'private') {
      return failed(problemOf('receiver_not_public', { host: `${url.hostname}:${portOf(url)}` }))
    }
    const length = new TextEncoder().encode(body).length
    const { request, answer } = requestTo(target, url, 'POST', { ...headers, 'content-length': length })
    request.end(body)
    try {
      const { statusCode: status = 0 } = await unless(stop, answer)
      return { status, answer: await unless(stop, answer.then(beginningOf)), problem: null }
    } finally {
      request.destroy()
    }
  } catch (error) {
    if (stop.aborted) return failed(problemOf('receiver_silent', { seconds: deps.timeout / 1000 }))
    const reason = error instanceof Error ? error.message : String(error)
    return failed(problemOf('receiver_unreachable', { reason: reason.slice(0, 500) }))
  }
}

const failed = (problem: Problem): Attempt => ({ status: null, answer: null, problem })

/** Returns the promise's value, or rejects with the signal's reason if that comes first. */
function unless<Value>(stop: AbortSignal, promise: Promise<Value>): Promise<Value> {
  const { promise: stopped, reject } = Promise.withResolvers<never>()
  const end = () => reject(stop.reason)
  if (stop.aborted) end()
  stop.addEventListener('abort', end, { once: true })
  return Promise.race([promise, stopped]).finally(() => stop.removeEventListener('abort', end))
}

/** Returns the first kilobyte of a response as text that Postgres can store. Stops reading at 64 KB. */
async function beginningOf(answer: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = []
  let read = 0
  for await (const chunk of answer) {
    const bytes = chunk as Uint8Array
    if (read < MAX_KEPT_BYTES) chunks.push(bytes.slice(0, MAX_KEPT_BYTES - read))
    read += bytes.length
    if (read > MAX_READ_BYTES) break
  }
  return truncate(new TextDecoder().decode(await new Blob(chunks as BlobPart[]).arrayBuffer()))
}

/** Cuts a text at MAX_KEPT_BYTES bytes of UTF-8. A broken sequence becomes a replacement character, which may be longer. */
function truncate(text: string): string {
  const bytes = new TextEncoder().encode(text.replaceAll('\0', '\uFFFD'))
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, MAX_KEPT_BYTES), { stream: true })
}

/** Returns the headers of Standard Webhooks (https://www.standardwebhooks.com).
 *  @param secrets `whsec_…`, with one signature each. */
export function signedHeaders(
  secrets: readonly string[],
  messageId: string,
  body: string,
  now: Date,
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'Carrel-Webhooks/1.0',
    'webhook-id': messageId,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(messageId, now, body)).join(' '),
  }
}
