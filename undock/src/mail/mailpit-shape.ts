import type { InboxMail } from './inbox.ts'
import type { MailPart } from './message.ts'

const SNIPPET_LENGTH = 250

/** A mail in a list. @see axllent/mailpit internal/storage/structs.go, MessageSummary */
const renderSummary = ({ id, created, read, tags, size, mail }: InboxMail) => ({
  ID: id,
  MessageID: mail.MessageID,
  Read: read,
  From: mail.From,
  To: mail.To,
  Cc: mail.Cc,
  Bcc: mail.Bcc,
  ReplyTo: mail.ReplyTo,
  Subject: mail.Subject,
  Created: created.toISOString(),
  Username: '',
  Tags: tags,
  Size: size,
  Attachments: mail.parts.filter(({ isInline }) => !isInline).length,
  Snippet: snippetOf(mail.Text || textOfHtml(mail.HTML)),
})

/** A complete mail. @see axllent/mailpit internal/storage/structs.go, Message */
export const renderMail = ({ id, created, tags, size, mail }: InboxMail) => ({
  ID: id,
  MessageID: mail.MessageID,
  From: mail.From,
  To: mail.To,
  Cc: mail.Cc,
  Bcc: mail.Bcc,
  ReplyTo: mail.ReplyTo,
  ReturnPath: mail.ReturnPath.replace(/^<|>$/g, ''),
  Subject: mail.Subject,
  ListUnsubscribe: {
    Header: mail.headers.get('List-Unsubscribe')?.[0] ?? '',
    Links: [],
    Errors: '',
    HeaderPost: mail.headers.get('List-Unsubscribe-Post')?.[0] ?? '',
  },
  Date: (mail.date ?? created).toISOString(),
  Tags: tags,
  Username: '',
  Text: mail.Text || textOfHtml(mail.HTML),
  HTML: mail.HTML,
  Size: size,
  Inline: mail.parts.filter(({ isInline }) => isInline).map(renderPart),
  Attachments: mail.parts.filter(({ isInline }) => !isInline).map(renderPart),
})

const renderPart = ({ content: _content, isInline: _isInline, ...part }: MailPart) => part

/** Returns a page of a list. @param matching The emails that match the search, newest first. @param all The whole inbox. */
export function renderList(
  matching: readonly InboxMail[],
  all: readonly InboxMail[],
  { start, limit }: { readonly start: number; readonly limit: number },
) {
  const page = matching.slice(start, start + limit)
  return {
    total: all.length,
    unread: countUnread(all),
    count: page.length,
    messages_count: matching.length,
    messages_unread: countUnread(matching),
    start,
    tags: tagsOf(all),
    messages: page.map(renderSummary),
  }
}

export const tagsOf = (mails: readonly InboxMail[]): string[] => [...new Set(mails.flatMap(({ tags }) => tags))].sort()

export const countUnread = (mails: readonly InboxMail[]): number => mails.filter(({ read }) => !read).length

const snippetOf = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > SNIPPET_LENGTH ? `${line.slice(0, SNIPPET_LENGTH)}…` : line
}

const ENTITIES = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }))

const TOKENS = /<(\/?)([a-z]\w*)(?!\w)([^<>]*)>|<[^<>]*>?|[^<]+/gi
const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+));/gi
const HIDDEN = new Set(['style', 'script', 'title'])
const BREAKS = /^(?:br|\/p|\/div|\/h\d|\/li|\/tr)$/

/** Returns an HTML-only mail's text for lists and text readers; it's never shown as HTML again. Takes linear time, even for hostile mails
 *  with unclosed tags. */
export function textOfHtml(html: string): string {
  let text = ''
  let hidden = ''
  let link: { readonly href: string; readonly start: number } | null = null
  for (const [token, slash = '', name = '', attributes = ''] of html.matchAll(TOKENS)) {
    const tag = slash + name.toLowerCase()
    if (hidden !== '') hidden = tag === `/${hidden}` ? '' : hidden
    else if (HIDDEN.has(tag)) hidden = tag
    else if (tag === 'a') link = { href: /\bhref="([^"]*)"/i.exec(attributes)?.[1] ?? '', start: text.length }
    else if (tag === '/a' && link) {
      if (link.href !== '' && text.slice(link.start).trim() !== link.href) text += ` (${link.href})`
      link = null
    } else if (BREAKS.test(tag)) text += '\n'
    else if (!token.startsWith('<')) text += token
  }
  return text
    .replaceAll(ENTITY, (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return ENTITIES.get(name.toLowerCase()) ?? whole
      const code = Number.parseInt(decimal ?? hex ?? '', decimal === undefined ? 16 : 10)
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
    })
    .replaceAll(/\s+/g, (blank) => (blank.includes('\n') ? '\n' : ' '))
    .trim()
}
