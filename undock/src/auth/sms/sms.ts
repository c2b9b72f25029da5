/** Milliseconds that a provider may take; upstream's default. */
const TIMEOUT = 10_000

/** Posts a form and reads the JSON response. */
export async function postForm(
  fetch: typeof globalThis.fetch,
  url: string,
  fields: Readonly<Record<string, string>>,
  authorization = '',
): Promise<{ status: number; body: unknown }> {
  const response = await fetch(url, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: authorization ? { authorization } : {},
    signal: AbortSignal.timeout(TIMEOUT),
  })
  return { status: response.status, body: await response.json() }
}

export type Channel = 'sms' | 'whatsapp'

type Sms = {
  readonly phone: string
  readonly message: string
  readonly code: string
  readonly channel: Channel
}

/** A provider of `[auth.sms]`. Throws its errors in its own words. */
export type SmsSender = {
  /** @returns the provider's message id, or empty */
  send(sms: Sms): Promise<string>
  /** Checks a code, only for providers that generate it. */
  verify?(phone: string, code: string): Promise<boolean>
}
