import { readFileSync } from 'node:fs'
import { Hono } from 'hono'
import type { Inbox, InboxEvent } from './inbox.ts'
import { notFound } from './mailpit-api.ts'
import { textOfHtml } from './mailpit-shape.ts'
import type { MailPart, ParsedMail } from './message.ts'

const asset = (name: string, type: string) => ({
  body: readFileSync(new URL(`./page/${name}`, import.meta.url), 'utf8'),
  type: `${type}; charset=utf-8`,
})

/** The page for reading mail, each mail as HTML or text, and the stream that notifies the page of changes. */
export function createViews(inbox: Inbox): Hono {
  const assets = new Map([
    ['/', asset('inbox.html', 'text/html')],
    ['/inbox.css', asset('inbox.css', 'text/css')],
    ['/inbox.js', asset('inbox.js', 'text/javascript')],
  ])
  const app = new Hono()

  for (const [path, { body, type }] of assets) {
    app.get(
      path,
      () => new Response(body, { headers: { 'content-type': type, 'content-security-policy': PAGE_POLICY } }),
    )
  }

  app.get('/view/:file', async (c) => {
    const [, id, kind] = /^(.+)\.(html|txt)$/.exec(c.req.param('file')) ?? []
    const found = id === undefined ? undefined : await inbox.find(id)
    if (!found) return notFound()
    await inbox.setRead([found], true)
    const { mail } = found
    if (kind === 'txt') return c.text(mail.Text || textOfHtml(mail.HTML))
    if (mail.HTML === '') return c.text(mail.Text)
    return c.req.query('remote') === 'off'
      ? c.html(withEmbeddedParts(mail), 200, { 'content-security-policy': OFFLINE_MAIL_POLICY })
      : c.html(withLinkedParts(mail, found.id), 200, { 'content-security-policy': MAIL_POLICY })
  })

  app.get('/events', (c) => new Response(eventStream(inbox, c.req.raw.signal), { headers: EVENT_HEADERS }))

  return app
}

const EVENT_HEADERS = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' }

const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

// A mail may have styles and images but runs nothing, even when it is opened in its own tab.
const MAIL_POLICY =
  "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; img-src * data:; style-src * 'unsafe-inline'; font-src * data:; frame-ancestors 'self'"

// The same without anything from elsewhere: whoever sent the mail does not learn that it was read.
const OFFLINE_MAIL_POLICY =
  "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:; form-action 'none'; frame-ancestors 'self'"

/** The HTML of a mail with its inline images as files of the inbox. */
const withLinkedParts = (mail: ParsedMail, id: string): string =>
  withParts(mail, ({ PartID }) => `/api/v1/message/${id}/part/${PartID}`)

/** The HTML of a mail with its inline images in it. */
const withEmbeddedParts = (mail: ParsedMail): string =>
  withParts(
    mail,
    ({ ContentType, content }) =>
      `data:${/^image\/[\w.+-]+$/.test(ContentType) ? ContentType : 'text/plain'};base64,${Buffer.from(content).toString('base64')}`,
  )

/** The HTML of a mail with an address for each of its inline images, and with links that open outside the frame. */
function withParts({ HTML, parts }: ParsedMail, addressOf: (part: MailPart) => string): string {
  const linked = parts
    .filter(({ ContentID }) => ContentID !== '')
    .reduce((html, part) => html.replaceAll(`cid:${part.ContentID}`, () => addressOf(part)), HTML)
  const base = '<base target="_blank">'
  return /<head\b[^>]*>/i.test(linked)
    ? linked.replace(/<head\b[^>]*>/i, (head) => `${head}${base}`)
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
