import { readFileSync } from 'node:fs'
import type { Inbox, InboxEvent } from './inbox.ts'
import { textOfHtml } from './mailpit-shape.ts'
import type { MailPart, ParsedMail } from './message.ts'
import { type MailRoute, notFound, plain, reading } from './route.ts'

/** The page for reading mail, each mail as HTML or text, and the stream that notifies the page of changes. */
export const viewRoutes: readonly MailRoute[] = [
  reading('/', file('inbox.html', 'text/html')),
  reading('/inbox.css', file('inbox.css', 'text/css')),
  reading('/inbox.js', file('inbox.js', 'text/javascript')),
  reading('/view/{file}', async ({ inbox, params, url }) => {
    const [, id, kind] = /^(.+)\.(html|txt)$/.exec(params.file ?? '') ?? []
    const message = id === undefined ? undefined : await inbox.find(id)
    if (!message) return notFound()
    await inbox.setRead([message], true)
    const { mail } = message
    if (kind === 'txt') return plain(mail.Text || textOfHtml(mail.HTML))
    if (mail.HTML === '') return plain(mail.Text)
    return url.searchParams.get('remote') === 'off'
      ? page(withEmbeddedParts(mail), OFFLINE_MAIL_POLICY)
      : page(withLinkedParts(mail, message.id), MAIL_POLICY)
  }),
  {
    method: 'GET',
    path: '/events',
    access: 'machine',
    handle: ({ inbox, request }) => new Response(eventStream(inbox, request.signal), { headers: EVENT_HEADERS }),
  },
]

function file(name: string, type: string): MailRoute['handle'] {
  const body = readFileSync(new URL(`./page/${name}`, import.meta.url), 'utf8')
  return () => page(body, PAGE_POLICY, type)
}

const page = (body: string, policy: string, type = 'text/html'): Response =>
  new Response(body, { headers: { 'content-type': `${type}; charset=utf-8`, 'content-security-policy': policy } })

const EVENT_HEADERS = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' }

const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

// A mail can have styles and images but not run anything, even in its own tab.
const MAIL_POLICY =
  "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; img-src * data:; style-src * 'unsafe-inline'; font-src * data:; frame-ancestors 'self'"

// The same without remote content, so that the sender can't see that the message was read.
const OFFLINE_MAIL_POLICY =
  "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:; form-action 'none'; frame-ancestors 'self'"

/** The HTML of a mail with its inline images as files of the inbox. */
const withLinkedParts = (mail: ParsedMail, id: string): string =>
  withParts(mail, ({ PartID }) => `/api/v1/message/${id}/part/${PartID}`)

/** The HTML of a mail with its inline images embedded. */
const withEmbeddedParts = (mail: ParsedMail): string =>
  withParts(
    mail,
    ({ ContentType, content }) =>
      `data:${/^image\/[\w.+-]+$/.test(ContentType) ? ContentType : 'text/plain'};base64,${Buffer.from(content).toString('base64')}`,
  )

/** Returns a mail's HTML with URLs for its inline images, and links that open outside the frame. */
function withParts({ HTML, parts }: ParsedMail, addressOf: (part: MailPart) => string): string {
  const linked = parts
    .filter(({ ContentID }) => ContentID !== '')
    .reduce((html, part) => html.replaceAll(`cid:${part.ContentID}`, () => addressOf(part)), HTML)
  const base = '<base target="_blank">'
  return /<head\b[^<>]*>/i.test(linked)
    ? linked.replace(/<head\b[^<>]*>/i, (head) => `${head}${base}`)
    : `${base}${linked}`
}

function eventStream(inbox: Inbox, signal: AbortSignal): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let unwatch = () => {}
  return new ReadableStream({
    start(controller) {
      const send = (event: InboxEvent) =>
        controller.enqueue(encoder.encode(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`))
      controller.enqueue(encoder.encode('retry: 1000\n\n'))
      unwatch = inbox.watch(send)
      signal.addEventListener('abort', () => unwatch())
    },
    cancel: () => unwatch(),
  })
}
