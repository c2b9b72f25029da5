import type { InboxMail } from './inbox.ts'
import type { MailAddress } from './message.ts'

type Test = (mail: InboxMail) => boolean

const TERM = /([-!]?)(?:([a-z-]+):)?(?:"([^"]*)"|(\S+))/gi

/** Parses a search in Mailpit's syntax: words and `"phrases"`, `to:`, `from:`, `cc:`, `bcc:`, `addressed:`,
 *  `reply-to:`, `subject:`, `message-id:`, `tag:`, `is:read|unread|tagged`, `has:attachment(s)`, `before:`, `after:`,
 *  each negated by a preceding `-` or `!`. A mail must match all of them.
 *  @see mailpit.axllent.org/docs/usage/search-filters */
export function parseSearch(query: string): Test {
  const tests = [...query.matchAll(TERM)].map(([, not, field, phrase, word]) => {
    const test = testOf((field ?? '').toLowerCase(), phrase ?? word ?? '', field)
    return not ? (mail: InboxMail) => !test(mail) : test
  })
  return (mail) => tests.every((test) => test(mail))
}

function testOf(field: string, value: string, written: string | undefined): Test {
  const wanted = value.toLowerCase()
  const has = (text: string) => text.toLowerCase().includes(wanted)
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
      return ({ tags }) => tags.some((tag) => tag.toLowerCase() === wanted)
    case 'is':
      return stateTest(wanted)
    case 'has':
      return ({ mail }) => /^attachments?$/.test(wanted) && mail.parts.some(({ isInline }) => !isInline)
    case 'before':
      return ({ created }) => created.getTime() < Date.parse(value)
    case 'after':
      return ({ created }) => created.getTime() >= Date.parse(value)
    default: {
      // An unknown field is not an error: `https://x` and `12:30` are ordinary words.
      const text = written === undefined ? wanted : `${field}:${wanted}`
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
