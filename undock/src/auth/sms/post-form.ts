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
