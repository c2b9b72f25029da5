import type { RequestHandler } from '../kernel/service.ts'
import { ServiceError } from '../kernel/service-error.ts'

const PREFIX = '/api/mail'
/** Nothing of a mail may run or load in the console's origin. A mail's own view has a policy that says more. */
const POLICY = "sandbox; default-src 'none'"

/** Asks the inbox at `/api/mail/v1/…` (Mailpit's API), `/api/mail/events` and `/api/mail/view/ID.html`, so that the console's page
 *  calls no other origin.
 *  @param inbox Null when it is turned off. @throws {ServiceError} */
export async function callMail(inbox: RequestHandler | null, request: Request): Promise<Response> {
  if (!inbox)
    throw new ServiceError(
      'not_found',
      404,
      'This backend has no inbox: set enabled = true in [local_smtp] of supabase/config.toml',
    )
  const url = new URL(request.url)
  const path = url.pathname.slice(PREFIX.length)
  const isView = path.startsWith('/view/')
  url.pathname = path.startsWith('/v1/') ? `/api${path}` : path
  if (isView) url.searchParams.set('remote', 'off')
  const headers = new Headers(request.headers)
  headers.delete('cookie')
  const { method, signal, body } = request
  const forwarded = new Request(url, {
    method,
    headers,
    signal,
    ...(body ? { body, duplex: 'half' } : {}),
  } as RequestInit)
  const response = await inbox(forwarded, { requestId: crypto.randomUUID(), address: '127.0.0.1' })
  const answer = new Response(response.body, response)
  if (isView) answer.headers.set('x-frame-options', 'SAMEORIGIN')
  if (!isView || !answer.headers.has('content-security-policy')) answer.headers.set('content-security-policy', POLICY)
  return answer
}
