import { z } from 'zod'
import { parseJson } from '../kernel/json.ts'
import { readBody } from '../kernel/request-body.ts'
import type { Inbox, InboxMail } from './inbox.ts'
import { createInboxMailer } from './mailer.ts'
import { countUnread, renderList, renderMail, tagsOf } from './mailpit-shape.ts'
import type { MailAddress } from './message.ts'
import { changing, type MailCall, type MailRoute, notFound, ofMail, plain, rawOf, reading } from './route.ts'

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
export const mailpitRoutes: readonly MailRoute[] = [
  reading('/api/v1/messages', async ({ inbox, url }) => {
    const all = await inbox.list()
    return Response.json(renderList(all, all, rangeOf(url)))
  }),
  changing('PUT', '/api/v1/messages', async ({ inbox, request }) => {
    const body = ReadStatus.safeParse(await readJson(request))
    if (!body.success) return plain('The body must be JSON with Read, and IDs or Search', 400)
    const { IDs, Search, Read = false } = body.data
    if (IDs?.length && Search) return plain('You may specify either IDs or a search query, not both', 400)
    await inbox.setRead(Search ? await matching(inbox, Search) : await chosen(inbox, IDs), Read)
    return plain('ok')
  }),
  changing('DELETE', '/api/v1/messages', async ({ inbox, request }) => {
    const body = Ids.safeParse(await readJson(request))
    await inbox.remove(await chosen(inbox, body.data?.IDs))
    return plain('ok')
  }),
  reading('/api/v1/search', async ({ inbox, url }) => {
    const query = queryOf(url)
    if (!query) return plain('Error: no search query', 400)
    return Response.json(renderList(await matching(inbox, query), await inbox.list(), rangeOf(url)))
  }),
  changing('DELETE', '/api/v1/search', async ({ inbox, url }) => {
    const query = queryOf(url)
    if (!query) return plain('Error: no search query', 400)
    await inbox.remove(await matching(inbox, query))
    return plain('ok')
  }),
  reading(
    '/api/v1/message/{id}',
    ofMail(async (mail, { inbox }) => {
      await inbox.setRead([mail], true)
      return Response.json(renderMail(mail))
    }),
  ),
  reading(
    '/api/v1/message/{id}/headers',
    ofMail(({ mail }) => Response.json(Object.fromEntries(mail.headers))),
  ),
  reading(
    '/api/v1/message/{id}/raw',
    ofMail((mail, { inbox }) => rawOf(inbox, mail)),
  ),
  reading('/api/v1/message/{id}/part/{part}', ofMail(answerPart)),
  reading('/api/v1/tags', async ({ inbox }) => Response.json(tagsOf(await inbox.list()))),
  changing('PUT', '/api/v1/tags', async ({ inbox, request }) => {
    const body = Tags.safeParse(await readJson(request))
    if (!body.success || !body.data.IDs?.length) return plain('The body must be JSON with Tags and IDs', 400)
    inbox.setTags(await chosen(inbox, body.data.IDs), body.data.Tags ?? [])
    return plain('ok')
  }),
  changing('POST', '/api/v1/send', async ({ inbox, request }) => {
    const body = Outgoing.safeParse(await readJson(request))
    if (!body.success) return Response.json({ Error: z.prettifyError(body.error) }, { status: 400 })
    const { From, To, Subject = '', Text = '', HTML = '' } = body.data
    const message = { from: format(From), to: To.map(format).join(', '), subject: Subject, html: HTML, text: Text }
    await createInboxMailer(inbox).send(message)
    return Response.json({ ID: (await inbox.find('latest'))?.id })
  }),
  reading('/api/v1/info', async ({ inbox, clock, started }) => {
    const mails = await inbox.list()
    return Response.json({
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
  }),
]

function answerPart({ mail }: InboxMail, { params }: MailCall): Response {
  const part = mail.parts.find(({ PartID }) => PartID === params.part)
  if (!part) return notFound()
  return new Response(new Uint8Array(part.content), {
    headers: {
      // The mail's sender chose this text, which may be an invalid header value.
      'content-type': TYPE.test(part.ContentType) ? part.ContentType : 'application/octet-stream',
      // An attachment is an untrusted file: it may be displayed, but must not run in this origin.
      'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:",
      'content-disposition': `${part.isInline ? 'inline' : 'attachment'}; filename*=UTF-8''${encodeURIComponent(part.FileName)}`,
    },
  })
}

const rangeOf = ({ searchParams }: URL) => Range.parse(Object.fromEntries(searchParams))
const queryOf = ({ searchParams }: URL) => searchParams.get('query')?.trim()

/** RFC 6838 §4.2. */
const TYPE = /^[a-z0-9][\w!#$&^.+-]*\/[a-z0-9][\w!#$&^.+-]*$/i

const matching = async (inbox: Inbox, query: string) => (await inbox.list()).filter(parseSearch(query))

/** The mails with these ids; all if none are given. */
async function chosen(inbox: Inbox, ids: readonly string[] | null | undefined): Promise<InboxMail[]> {
  const all = await inbox.list()
  return ids?.length ? all.filter(({ id }) => ids.includes(id)) : all
}

const format = ({ Email, Name }: z.infer<typeof Contact>) => (Name ? `${JSON.stringify(Name)} <${Email}>` : Email)

/** The maximum body size in bytes: a mail with its text and HTML. */
const MAX_BODY = 5 * 1024 * 1024

/** @returns undefined if it isn't JSON. @throws {BodyTooLargeError | JsonTooComplexError} */
async function readJson(request: Request): Promise<unknown> {
  const text = (await readBody(request, MAX_BODY)).toString()
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

type Test = (mail: InboxMail) => boolean

const TERM = /([-!]?)(?:([a-z-]+):)?(?:"([^"]*)"|(\S+))/gi

/** Parses a search in Mailpit's syntax: words and `"phrases"`, `to:`, `from:`, `cc:`, `bcc:`, `addressed:`,
 *  `reply-to:`, `subject:`, `message-id:`, `tag:`, `is:read|unread|tagged`, `has:attachment(s)`, `before:`, `after:`,
 *  each negated by a preceding `-` or `!`. A mail must match all of them.
 *  @see mailpit.axllent.org/docs/usage/search-filters */
function parseSearch(query: string): Test {
  const tests = [...query.matchAll(TERM)].map(([, not, field, phrase, word]) => {
    const test = testOf((field ?? '').toLowerCase(), phrase ?? word ?? '', field)
    return not ? (mail: InboxMail) => !test(mail) : test
  })
  return (mail) => tests.every((test) => test(mail))
}

function testOf(field: string, value: string, written: string | undefined): Test {
  const lower = value.toLowerCase()
  const has = (text: string) => text.toLowerCase().includes(lower)
  const names = (addresses: readonly MailAddress[]) => addresses.some(({ Name, Address }) => has(`${Name} ${Address}`))
  switch (field) {
    case 'to':
      return ({ mail }) => names(mail.To)
    case 'from':
      return ({ mail }) => names([mail.From])
    case 'cc':
      return ({ mail }) => names(mail.Cc)
    case 'bcc':
      return ({ mail }) => names(mail.Bcc)
    case 'reply-to':
      return ({ mail }) => names(mail.ReplyTo)
    case 'addressed':
      return ({ mail }) => names([mail.From, ...mail.To, ...mail.Cc, ...mail.Bcc, ...mail.ReplyTo])
    case 'subject':
      return ({ mail }) => has(mail.Subject)
    case 'message-id':
      return ({ mail }) => has(mail.MessageID)
    case 'tag':
      return ({ tags }) => tags.some((tag) => tag.toLowerCase() === lower)
    case 'is':
      return stateTest(lower)
    case 'has':
      return ({ mail }) => /^attachments?$/.test(lower) && mail.parts.some(({ isInline }) => !isInline)
    case 'before':
      return ({ created }) => created.getTime() < Date.parse(value)
    case 'after':
      return ({ created }) => created.getTime() >= Date.parse(value)
    default: {
      // An unknown field is not an error: `https://x` and `12:30` are ordinary words.
      const text = written === undefined ? lower : `${field}:${lower}`
      return ({ mail }) => searchable(mail).includes(text)
    }
  }
}

function stateTest(state: string): Test {
  switch (state) {
    case 'read':
      return ({ read }) => read
    case 'unread':
      return ({ read }) => !read
    case 'tagged':
      return ({ tags }) => tags.length > 0
    default:
      return () => false
  }
}

const searchable = ({ From, To, Cc, Bcc, ReplyTo, Subject, Text, HTML }: InboxMail['mail']): string =>
  [From, ...To, ...Cc, ...Bcc, ...ReplyTo]
    .map(({ Name, Address }) => `${Name} ${Address}`)
    .concat(Subject, Text, HTML)
    .join('\n')
    .toLowerCase()
