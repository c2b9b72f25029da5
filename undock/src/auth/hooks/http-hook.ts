import { createHmac, randomUUID } from 'node:crypto'
import { authError } from '../errors.ts'

/** Milliseconds for all attempts together, their number, and the pause after a failed connection.
 *  @see supabase/auth internal/hooks/hookshttp */
const DEADLINE = 5000
const ATTEMPTS = 3
const PAUSE = 2000
const MAX_ANSWER_BYTES = 200 * 1024

/** Posts a hook's payload, signed with standard-webhooks secrets (`v1,whsec_<base64>`, separated by `|`). Retries if
 *  the endpoint is unreachable or answers 429 or 503 with a Retry-After.
 *  @returns null for an answer without a body
 *  @throws `hook_timeout`, `hook_timeout_after_retry`, `hook_payload_over_size_limit`,
 *  `hook_payload_invalid_content_type`, `unexpected_failure` */
export async function callHttpHook(
  fetch: typeof globalThis.fetch,
  {
    uri,
    secrets,
    payload,
    now,
  }: { readonly uri: string; readonly secrets: string; readonly payload: unknown; readonly now: Date },
): Promise<unknown> {
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(), DEADLINE)
  try {
    return await ask(fetch, { uri, secrets, body: JSON.stringify(payload), now, signal: deadline.signal })
  } catch (error) {
    throw deadline.signal.aborted ? authError('hookTimeout', [(DEADLINE / 1000).toFixed(6)], { cause: error }) : error
  } finally {
    clearTimeout(timer)
  }
}

async function ask(
  fetch: typeof globalThis.fetch,
  {
    uri,
    secrets,
    body,
    now,
    signal,
  }: {
    readonly uri: string
    readonly secrets: string
    readonly body: string
    readonly now: Date
    readonly signal: AbortSignal
  },
): Promise<unknown> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    let response: Response
    try {
      response = await fetch(uri, { method: 'POST', body, headers: headersFor(secrets, body, now), signal })
    } catch (error) {
      if (signal.aborted) throw error
      if (attempt === ATTEMPTS) throw authError('hookUnreachable', [], { cause: error })
      await pause(signal)
      continue
    }
    const isBusy = response.status === 429 || response.status === 503
    if (!isBusy) return readAnswer(response)
    await response.body?.cancel()
    if (!response.headers.get('retry-after')) break
  }
  throw authError('hookBusy')
}

function headersFor(secrets: string, body: string, now: Date): Record<string, string> {
  const id = randomUUID()
  const timestamp = String(Math.floor(now.getTime() / 1000))
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': sign(secrets, `${id}.${timestamp}.${body}`),
  }
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, PAUSE)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
}

async function readAnswer(response: Response): Promise<unknown> {
  if (response.status === 204) return null
  if (response.status === 400) throw authError('hookPayloadInvalid')
  if (response.status === 401) throw authError('hookUnauthorized')
  if (response.status !== 200 && response.status !== 202) throw authError('hookStatus', [response.status])
  const type = response.headers.get('content-type') ?? ''
  if (type === '') throw authError('hookContentTypeMissing')
  if (type.split(';')[0]?.trim().toLowerCase() !== 'application/json') throw authError('hookContentType', [type])
  const text = await readLimited(response)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw authError('hookOutput', [], { cause: error })
  }
}

/** Stops at the limit, because an endpoint could send forever. */
async function readLimited({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength
    if (bytes > MAX_ANSWER_BYTES) throw authError('hookAnswerTooLarge', [MAX_ANSWER_BYTES])
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

export function sign(secrets: string, signed: string): string {
  return secrets
    .split('|')
    .map((secret) => {
      const key = Buffer.from(secret.trim().replace(/^v1,whsec_/, ''), 'base64')
      return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
    })
    .join(' ')
}
