import type { Access, RoutePattern } from '../kernel/router.ts'
import type { Clock } from '../kernel/service.ts'
import type { Inbox, InboxMail } from './inbox.ts'

/** Reading requires this machine's name as host; changes also require the inbox's own page. */
export type MailAccess = Extract<Access, 'machine' | 'ownPage'>

/** The inbox routes' dependencies. */
export type InboxParts = { readonly inbox: Inbox; readonly clock: Clock; readonly started: Date }

export type MailCall = InboxParts & {
  readonly request: Request
  readonly url: URL
  readonly params: Readonly<Record<string, string>>
}

export type MailRoute = RoutePattern<MailAccess> & { handle(call: MailCall): Response | Promise<Response> }

export const reading = (path: string, handle: MailRoute['handle']): MailRoute => ({
  method: 'GET|HEAD',
  path,
  access: 'machine',
  handle,
})

export const changing = (
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  handle: MailRoute['handle'],
): MailRoute => ({ method, path, access: 'ownPage', handle })

/** A route about one mail, by its id or `latest`. */
export const ofMail =
  (handle: (mail: InboxMail, call: MailCall) => Response | Promise<Response>): MailRoute['handle'] =>
  async (call) => {
    const mail = await call.inbox.find(call.params.id ?? '')
    return mail ? handle(mail, call) : notFound()
  }

export const plain = (text: string, status = 200): Response =>
  new Response(text, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } })
export const notFound = () => plain('404 page not found\n', 404)

export async function rawOf(inbox: Inbox, mail: InboxMail): Promise<Response> {
  const raw = new Uint8Array(await inbox.raw(mail))
  return new Response(raw, { headers: { 'content-type': 'text/plain; charset=utf-8' } })
}
