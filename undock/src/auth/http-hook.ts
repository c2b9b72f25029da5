import { createHmac, randomUUID } from 'node:crypto'
import { authError, hookError } from './errors.ts'

/** @see supabase/auth internal/hooks/hookshttp: five seconds a hook, three attempts, 200 KiB of answer. */
const TIMEOUT = 5000
const ATTEMPTS = 3
const MAX_ANSWER_BYTES = 200 * 1024
const RETRY_AFTER = 2000

/** Posts a hook's payload, signed as standard-webhooks (`v1,whsec_<base64>` secrets, several divided by `|`).
 *  Answers 429 and 503 with a Retry-After are tried again. */
export async function callHttpHook(uri: string, secrets: string, payload: unknown, now: Date): Promise<unknown> {
  const body = JSON.stringify(payload)
  for (let attempt = 1; ; attempt++) {
    const response = await post(uri, secrets, body, now)
    const retries = (response.status === 429 || response.status === 503) && response.headers.has('retry-after')
    if (retries && attempt < ATTEMPTS) {
      await response.body?.cancel()
      await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER))
      continue
    }
    return readAnswer(uri, response)
  }
}

async function post(uri: string, secrets: string, body: string, now: Date): Promise<Response> {
  const id = randomUUID()
  const timestamp = String(Math.floor(now.getTime() / 1000))
  try {
    return await fetch(uri, {
      method: 'POST',
      redirect: 'error',
      body,
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': sign(secrets, `${id}.${timestamp}.${body}`),
      },
      signal: AbortSignal.timeout(TIMEOUT),
    })
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') {
      throw hookError(422, `Failed to reach hook within maximum time of ${TIMEOUT / 1000} seconds`)
    }
    throw authError('hookFailed', [uri], { cause: error })
  }
}

async function readAnswer(uri: string, response: Response): Promise<unknown> {
  if (response.status === 204) return null
  if (response.status === 400 || response.status === 429) throw hookError(500, 'Invalid payload sent to hook')
  if (response.status === 401) throw hookError(500, 'Hook requires authorization token')
  if (response.status !== 200 && response.status !== 202) {
    throw hookError(500, `Unexpected status code returned from hook: ${response.status}`)
  }
  if (!/^application\/json\b/i.test(response.headers.get('content-type') ?? '')) {
    throw hookError(500, `Invalid JSON response. Received content-type: ${response.headers.get('content-type')}`)
  }
  const text = await response.text()
  if (Buffer.byteLength(text) > MAX_ANSWER_BYTES) throw hookError(422, 'Payload size exceeded size limit of 200 KiB')
  try {
    return JSON.parse(text)
  } catch (error) {
    throw authError('hookFailed', [uri], { cause: error })
  }
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
