import { z } from 'zod'
import { mailLanguage } from '../_shared/mail/language.ts'
import { type MailEntry, renderHtml, renderText } from '../_shared/mail/layout.ts'
import type { Mail } from '../_shared/mail/smtp.ts'
import { line, quotation } from '../_shared/mail/user-text.ts'
import { MailedKind, TEXTS, type Texts } from './texts-of-mail.ts'

/** A notification, without names and texts if the library requires a second factor: mails must not reveal them. */
const Entry = z.object({
  kind: MailedKind,
  library_id: z.guid(),
  document_id: z.guid().nullable(),
  comment_id: z.guid().nullable(),
  search_id: z.guid().nullable(),
  actors: z.array(z.string()),
  amount: z.number(),
  failed: z.number(),
  library: z.string().nullable(),
  title: z.string().nullable(),
  body: z.string().nullable(),
  search: z.string().nullable(),
  rule: z.string().nullable(),
})
export type Entry = z.infer<typeof Entry>

export const Owed = z.object({
  mail: z.guid(),
  email: z.string(),
  locale: z.string(),
  token: z.string(),
  total: z.number(),
  entries: z.array(Entry).nonempty(),
})
export type Owed = z.infer<typeof Owed>

const MAX_SUBJECT_LENGTH = 150
const MAX_QUOTE_LENGTH = 400

type Addresses = { readonly site: string; readonly unsubscribe: string }

/** Returns one mail with everything due: a single notification gets its own layout, several become a list. */
export function mailOf(owed: Owed, { site, unsubscribe }: Addresses): Mail {
  const language = mailLanguage(owed.locale)
  const texts = TEXTS[language]
  const { subject, content } = owed.total === 1 ? single(owed.entries[0], texts, site) : digest(owed, texts, site)
  const whole = { ...content, notes: [texts.why(`${site}/settings/profile`)] }
  return {
    to: owed.email,
    subject: subject.slice(0, MAX_SUBJECT_LENGTH),
    text: renderText(whole),
    html: renderHtml(whole, language),
    // Stable across attempts, so that duplicates can be recognized.
    messageId: `<notification-${owed.mail}@${new URL(site).hostname}>`,
    // RFC 8058: mail programs show an unsubscribe button.
    headers: {
      'List-Unsubscribe': `<${unsubscribe}?token=${encodeURIComponent(owed.token)}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  }
}

function single(entry: Entry, texts: Texts, site: string) {
  const said = sentence(entry, texts)
  const title = entry.title === null ? null : line(entry.title)
  const isHidden = entry.library === null
  return {
    subject: title === null ? said : texts.about(said, title),
    content: {
      title: title ?? said,
      paragraphs: [isHidden ? `${said}. ${texts.hidden}` : `${said}. ${texts.inLibrary(line(entry.library ?? ''))}`],
      ...(entry.body ? { quote: quotation(entry.body, MAX_QUOTE_LENGTH) } : {}),
      action: { label: texts.open, url: addressOf(entry, site) },
    },
  }
}

function digest({ entries, total }: Owed, texts: Texts, site: string) {
  const listed = entries.map(
    (entry): MailEntry => ({
      context: entry.library === null ? texts.secured : line(entry.library),
      title: line(entry.title ?? entry.search ?? (entry.kind === 'import' ? texts.imported : texts.notification)),
      url: addressOf(entry, site),
      text: sentence(entry, texts),
      ...(entry.body ? { quote: quotation(entry.body, MAX_QUOTE_LENGTH) } : {}),
    }),
  )
  return {
    subject: texts.several(total),
    content: {
      title: texts.several(total),
      paragraphs: entries.some(({ library }) => library === null) ? [texts.hidden] : [],
      entries: listed,
      action: { label: texts.inbox, url: `${site}/inbox` },
    },
  }
}

function sentence(entry: Entry, texts: Texts): string {
  const names = entry.actors.length === 0 ? [texts.someone] : entry.actors.map(line)
  const { search, rule } = entry
  return texts.says[entry.kind]({
    ...entry,
    names: texts.listed(names),
    count: names.length,
    search: search && line(search),
    rule: rule && line(rule),
  })
}

function addressOf({ kind, library_id, document_id, comment_id }: Entry, site: string): string {
  if (document_id !== null)
    return `${site}/l/${library_id}/d/${document_id}${comment_id === null ? '' : `?comment=${comment_id}`}`
  return kind === 'import' ? `${site}/l/${library_id}` : `${site}/inbox`
}
