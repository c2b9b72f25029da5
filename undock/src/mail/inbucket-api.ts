import type { InboxMail } from './inbox.ts'
import { textOfHtml } from './mailpit-shape.ts'
import type { MailAddress } from './message.ts'
import { changing, type MailCall, type MailRoute, notFound, rawOf, reading } from './route.ts'

/** The REST API of Inbucket, from which older test suites read mail: one mailbox for each name before an @.
 *  @see inbucket/inbucket pkg/rest */
export const inbucketRoutes: readonly MailRoute[] = [
  reading('/api/v1/mailbox/{name}', async (call) =>
    Response.json((await mailbox(call)).map(renderHeader(call.params.name ?? ''))),
  ),
  changing('DELETE', '/api/v1/mailbox/{name}', async (call) => {
    await call.inbox.remove(await mailbox(call))
    return Response.json('OK')
  }),
  reading(
    '/api/v1/mailbox/{name}/{id}',
    inMailbox((mail, { params, url }) => Response.json(renderWhole(mail, params.name ?? '', url.origin))),
  ),
  reading(
    '/api/v1/mailbox/{name}/{id}/source',
    inMailbox((mail, { inbox }) => rawOf(inbox, mail)),
  ),
  changing(
    'PATCH',
    '/api/v1/mailbox/{name}/{id}',
    inMailbox(async (mail, { inbox }) => {
      await inbox.setRead([mail], true)
      return Response.json('OK')
    }),
  ),
  changing(
    'DELETE',
    '/api/v1/mailbox/{name}/{id}',
    inMailbox(async (mail, { inbox }) => {
      await inbox.remove([mail])
      return Response.json('OK')
    }),
  ),
]

/** Inbucket's lists are ordered from oldest to newest. */
async function mailbox({ inbox, params }: MailCall): Promise<InboxMail[]> {
  const wanted = mailboxName(params.name ?? '')
  return (await inbox.list()).filter((mail) => mailboxesOf(mail).includes(wanted)).reverse()
}

function inMailbox(handle: (mail: InboxMail, call: MailCall) => Response | Promise<Response>): MailRoute['handle'] {
  return async (call) => {
    const mails = await mailbox(call)
    const { id } = call.params
    const found = id === 'latest' ? mails.at(-1) : mails.find((mail) => mail.id === id)
    return found ? handle(found, call) : notFound()
  }
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
