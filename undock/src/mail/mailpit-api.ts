import { Hono } from 'hono'
import { z } from 'zod'
import { parseJson } from '../kernel/json.ts'
import type { Clock } from '../kernel/service.ts'
import type { Inbox, InboxMail } from './inbox.ts'
import { createInboxMailer } from './mailer.ts'
import { countUnread, renderList, renderMail, tagsOf } from './mailpit-shape.ts'
import { parseSearch } from './search.ts'

const Range = z.object({
  start: z.coerce.number().int().min(0).catch(0),
  limit: z.coerce.number().int().min(0).catch(50),
})
const Ids = z.object({ IDs: z.array(z.string()).nullish() })
const ReadStatus = Ids.extend({ Read: z.boolean().optional(), Search: z.string().optional() })
const Tags = Ids.extend({ Tags: z.array(z.string().max(100)).nullish() })
const Contact = z.object({ Email: z.string(), Name: z.string().optional() })
const Outgoing = z.object({
  From: Contact,
  To: z.array(Contact).min(1),
  Subject: z.string().optional(),
  Text: z.string().optional(),
  HTML: z.string().optional(),
})

/** The part of Mailpit's REST API that its clients in test suites use.
 *  @see axllent/mailpit server/apiv1 */
export function createMailpitApi(inbox: Inbox, clock: Clock): Hono {
  const started = clock.now()
  const mailer = createInboxMailer(inbox)
  const app = new Hono()

  app.get('/messages', async (c) => {
    const all = await inbox.list()
    const { start, limit } = Range.parse(c.req.query())
    return c.json(renderList(all, all, start, limit))
  })

  app.put('/messages', async (c) => {
    const body = ReadStatus.safeParse(await readJson(c.req.raw))
    if (!body.success) return badRequest('The body must be JSON with Read, and IDs or Search')
    const { IDs, Search, Read = false } = body.data
    if (IDs?.length && Search) return badRequest('You may specify either IDs or a search query, not both')
    await inbox.setRead(Search ? await matching(inbox, Search) : await chosen(inbox, IDs), Read)
    return ok()
  })

  app.delete('/messages', async (c) => {
    const body = Ids.safeParse(await readJson(c.req.raw))
    await inbox.remove(await chosen(inbox, body.data?.IDs))
    return ok()
  })

  app.get('/search', async (c) => {
    const query = c.req.query('query')?.trim()
    if (!query) return badRequest('Error: no search query')
    const { start, limit } = Range.parse(c.req.query())
    return c.json(renderList(await matching(inbox, query), await inbox.list(), start, limit))
  })

  app.delete('/search', async (c) => {
    const query = c.req.query('query')?.trim()
    if (!query) return badRequest('Error: no search query')
    await inbox.remove(await matching(inbox, query))
    return ok()
  })

  app.get('/message/:id', async (c) => {
    const mail = await inbox.find(c.req.param('id'))
    if (!mail) return notFound()
    await inbox.setRead([mail], true)
    return c.json(renderMail(mail))
  })

  app.get('/message/:id/headers', async (c) => {
    const mail = await inbox.find(c.req.param('id'))
    return mail ? c.json(Object.fromEntries(mail.mail.headers)) : notFound()
  })

  app.get('/message/:id/raw', async (c) => {
    const mail = await inbox.find(c.req.param('id'))
    return mail ? new Response(await rawOf(inbox, mail), { headers: PLAIN }) : notFound()
  })

  app.get('/message/:id/part/:part', async (c) => {
    const mail = await inbox.find(c.req.param('id'))
    const part = mail?.mail.parts.find(({ PartID }) => PartID === c.req.param('part'))
    if (!part) return notFound()
    return new Response(new Uint8Array(part.content), {
      headers: {
        // The sender of the mail chose this text, which may not be a valid header value.
        'content-type': TYPE.test(part.ContentType) ? part.ContentType : 'application/octet-stream',
        // An attachment is an untrusted file: it may be displayed, but must not run in this origin.
        'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:",
        'content-disposition': `${part.isInline ? 'inline' : 'attachment'}; filename*=UTF-8''${encodeURIComponent(part.FileName)}`,
      },
    })
  })

  app.get('/tags', async (c) => c.json(tagsOf(await inbox.list())))

  app.put('/tags', async (c) => {
    const body = Tags.safeParse(await readJson(c.req.raw))
    if (!body.success || !body.data.IDs?.length) return badRequest('The body must be JSON with Tags and IDs')
    inbox.setTags(await chosen(inbox, body.data.IDs), body.data.Tags ?? [])
    return ok()
  })

  app.post('/send', async (c) => {
    const body = Outgoing.safeParse(await readJson(c.req.raw))
    if (!body.success) return c.json({ Error: z.prettifyError(body.error) }, 400)
    const { From, To, Subject = '', Text = '', HTML = '' } = body.data
    await mailer.send({ from: format(From), to: To.map(format).join(', '), subject: Subject, html: HTML, text: Text })
    return c.json({ ID: (await inbox.find('latest'))?.id })
  })

  app.get('/info', async (c) => {
    const mails = await inbox.list()
    return c.json({
      Version: 'undock',
      LatestVersion: '',
      Database: '',
      DatabaseSize: mails.reduce((sum, { size }) => sum + size, 0),
      Messages: mails.length,
      Unread: countUnread(mails),
      Tags: Object.fromEntries(
        tagsOf(mails).map((tag) => [tag, mails.filter(({ tags }) => tags.includes(tag)).length]),
      ),
      RuntimeStats: {
        Uptime: Math.floor((clock.now().getTime() - started.getTime()) / 1000),
        Memory: process.memoryUsage.rss(),
      },
    })
  })

  return app
}

/** RFC 6838 §4.2. */
const TYPE = /^[a-z0-9][\w!#$&^.+-]*\/[a-z0-9][\w!#$&^.+-]*$/i

const PLAIN = { 'content-type': 'text/plain; charset=utf-8' }
const ok = () => new Response('ok', { headers: PLAIN })
const badRequest = (message: string) => new Response(message, { status: 400, headers: PLAIN })
export const notFound = () => new Response('404 page not found\n', { status: 404, headers: PLAIN })

export const rawOf = async (inbox: Inbox, mail: InboxMail): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await inbox.raw(mail))

const matching = async (inbox: Inbox, query: string) => (await inbox.list()).filter(parseSearch(query))

/** The mails with these ids; all mails when no ids are given. */
async function chosen(inbox: Inbox, ids: readonly string[] | null | undefined): Promise<InboxMail[]> {
  const all = await inbox.list()
  return ids?.length ? all.filter(({ id }) => ids.includes(id)) : all
}

const format = ({ Email, Name }: z.infer<typeof Contact>) => (Name ? `${JSON.stringify(Name)} <${Email}>` : Email)

async function readJson(request: Request): Promise<unknown> {
  const text = await request.text()
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
