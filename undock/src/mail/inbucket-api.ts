import { Hono } from 'hono'
import type { Inbox, InboxMail } from './inbox.ts'
import { notFound, rawOf } from './mailpit-api.ts'
import { textOfHtml } from './mailpit-shape.ts'
import type { MailAddress } from './message.ts'

/** The REST API of Inbucket, from which older test suites read mail: one mailbox for each name before an @.
 *  @see inbucket/inbucket pkg/rest */
export function createInbucketApi(inbox: Inbox): Hono {
  const app = new Hono()

  const mailbox = async (name: string): Promise<InboxMail[]> => {
    const wanted = mailboxName(name)
    // Inbucket's lists are ordered from oldest to newest.
    return (await inbox.list()).filter((mail) => mailboxesOf(mail).includes(wanted)).reverse()
  }
  const find = async (name: string, id: string): Promise<InboxMail | undefined> => {
    const mails = await mailbox(name)
    return id === 'latest' ? mails.at(-1) : mails.find((mail) => mail.id === id)
  }

  app.get('/:name', async (c) => c.json((await mailbox(c.req.param('name'))).map(renderHeader(c.req.param('name')))))

  app.delete('/:name', async (c) => {
    await inbox.remove(await mailbox(c.req.param('name')))
    return c.json('OK')
  })

  app.get('/:name/:id', async (c) => {
    const mail = await find(c.req.param('name'), c.req.param('id'))
    return mail ? c.json(renderWhole(mail, c.req.param('name'), new URL(c.req.url).origin)) : notFound()
  })

  app.get('/:name/:id/source', async (c) => {
    const mail = await find(c.req.param('name'), c.req.param('id'))
    if (!mail) return notFound()
    return new Response(await rawOf(inbox, mail), { headers: { 'content-type': 'text/plain; charset=utf-8' } })
  })

  app.patch('/:name/:id', async (c) => {
    const mail = await find(c.req.param('name'), c.req.param('id'))
    if (!mail) return notFound()
    await inbox.setRead([mail], true)
    return c.json('OK')
  })

  app.delete('/:name/:id', async (c) => {
    const mail = await find(c.req.param('name'), c.req.param('id'))
    if (!mail) return notFound()
    await inbox.remove([mail])
    return c.json('OK')
  })

  return app
}

/** `Jo+news@example.com` and `jo` share one mailbox. */
const mailboxName = (address: string): string => (address.split('@')[0] ?? '').split('+')[0]?.toLowerCase() ?? ''

const mailboxesOf = ({ mail }: InboxMail): string[] =>
  [...mail.To, ...mail.Cc, ...mail.Bcc].map(({ Address }) => mailboxName(Address))

const show = ({ Name, Address }: MailAddress): string => (Name ? `${Name} <${Address}>` : Address)

const renderHeader =
  (name: string) =>
  ({ id, created, read, size, mail }: InboxMail) => ({
    mailbox: mailboxName(name),
    id,
    from: show(mail.From),
    to: mail.To.map(show),
    subject: mail.Subject,
    date: created.toISOString(),
    'posix-millis': created.getTime(),
    size,
    seen: read,
  })

const renderWhole = (inboxMail: InboxMail, name: string, origin: string) => ({
  ...renderHeader(name)(inboxMail),
  header: Object.fromEntries(inboxMail.mail.headers),
  body: { text: inboxMail.mail.Text || textOfHtml(inboxMail.mail.HTML), html: inboxMail.mail.HTML },
  attachments: inboxMail.mail.parts.map((part) => {
    const link = `${origin}/api/v1/message/${inboxMail.id}/part/${part.PartID}`
    return {
      filename: part.FileName,
      'content-type': part.ContentType,
      'download-link': link,
      'view-link': link,
      md5: part.Checksums.MD5,
    }
  }),
})
