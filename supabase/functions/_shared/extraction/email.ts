import { Buffer } from 'node:buffer'
import type { Address, Email } from 'postal-mime'
import { Unreadable } from '../errors.ts'
import { isTnef, mediaTypeOf, OTHER_KIND } from '../file-kinds.ts'
import { parseMail } from '../mail/parse-mail.ts'
import { attachmentsAmong, fileName, nameOfPart, type Part, partOf } from '../mail/parts.ts'
import { chooseAuthor, chooseTitle, dayOf } from './about.ts'
import { decodeText } from './charset.ts'
import { type Extraction, escaped } from './extraction.ts'
import { bodyOf, extractHtml, textOfHtml } from './html.ts'
import type { MailFormat } from './sniff.ts'
import { extractStructured } from './structured.ts'
import { openTnef } from './tnef.ts'

const DAMAGED = 'mail_damaged'
/** Parts without a name that mail programs show in the mail: invitations, reports on delivery, text with simple tags. */
const REPORT =
  /^(?:text\/(?:calendar|enriched|richtext|rfc822-headers)|message\/(?:delivery-status|disposition-notification|feedback-report))$/

type Letter = Pick<Email, 'subject' | 'from' | 'to' | 'cc' | 'bcc' | 'html' | 'text'> & {
  readonly dated: string | null
  readonly attachments: readonly NamedPart[]
}
export type OpenedMail = { readonly letters: readonly Letter[]; readonly attachments: readonly NamedPart[] }
type NamedPart = Part & { readonly name: string }

/** Opens a saved mail (RFC 5322, MIME), a mailbox, or an Outlook message. Mails inside a mail become attachments.
 *  @throws {Unreadable} if it's damaged. */
export async function openMail(bytes: Uint8Array, format: MailFormat = 'email'): Promise<OpenedMail> {
  const letters: Letter[] = []
  if (format === 'msg') letters.push(await openOutlook(bytes))
  else if (format === 'tnef') letters.push(await openPacked(bytes))
  else for (const mail of format === 'mbox' ? mailsIn(bytes) : [bytes]) letters.push(await openLetter(mail))
  return { letters, attachments: letters.flatMap(({ attachments }) => attachments) }
}

async function openLetter(bytes: Uint8Array): Promise<Letter> {
  const email = await parse(bytes)
  const parts = attachmentsAmong(email.attachments.map(partOf), email.html ?? '')
  const attachments: NamedPart[] = []
  let { html, text } = email
  const reports: string[] = []
  for (const part of parts) {
    if (!part.name && REPORT.test(part.type)) {
      const report = (await decodeText(part.bytes))?.trim() ?? ''
      reports.push(extractStructured(report)?.rendition ?? paragraphsOf(report.replace(/<\/?\w+>/g, '')))
      continue
    }
    const message = isTnef(part.bytes) ? await openPacked(part.bytes) : undefined
    if (message?.html || message?.text || message?.attachments.length) {
      attachments.push(...message.attachments)
      if (!html && !text) ({ html, text } = message)
      continue
    }
    const subject = !part.name && part.type === 'message/rfc822' && (await parse(part.bytes)).subject
    const name = subject ? fileName(`${subject}.eml`) : part.name
    attachments.push({ ...part, name: nameOfPart({ ...part, name }, attachments.length + 1) })
  }
  const written = email.headers.find(({ key }) => key === 'date')?.value
  if (reports.length > 0) html = [html ?? paragraphsOf(text ?? ''), ...reports].join('\n')
  return { ...email, ...(html ? { html } : {}), ...(text ? { text } : {}), dated: dayOf(written), attachments }
}

/** Opens what Outlook sends as `winmail.dat`. */
async function openPacked(bytes: Uint8Array): Promise<Letter> {
  const { subject, html, text, attachments } = await openTnef(bytes)
  const parts = attachments.map(({ name, bytes }, index) => fileOf(name, OTHER_KIND.mediaType, bytes, index + 1))
  return { subject, html, text, dated: null, attachments: parts }
}

const fileOf = (name: string, type: string, bytes: Uint8Array, number: number): NamedPart => ({
  name: nameOfPart({ name: fileName(name), type }, number),
  type,
  bytes,
  isInline: false,
  contentId: null,
})

/** Splits a mailbox file (RFC 4155): a `From` line precedes each mail, and similar lines of text are escaped. */
function mailsIn(bytes: Uint8Array): Uint8Array[] {
  return Buffer.from(bytes)
    .toString('latin1')
    .split(/^From [^\n]*\n(?=[!-9;-~]+:)/m)
    .filter((mail) => mail.trim())
    .map((mail) => Buffer.from(mail.replace(/^>(>*From )/gm, '$1'), 'latin1'))
}

async function openOutlook(bytes: Uint8Array): Promise<Letter> {
  try {
    const { default: reader } = await import('@kenjiuno/msgreader')
    const file = new reader.default(new Uint8Array(bytes).buffer)
    const { subject, recipients = [], body: text, bodyHtml, html, attachments = [], ...said } = file.getFileData()
    const to = (kind: string) =>
      recipients
        .filter(({ recipType = 'to' }) => recipType === kind)
        .map(({ name = '', email, smtpAddress }) => ({ name, address: smtpAddress ?? email ?? '' }))
    const page = bodyHtml ?? (html ? await decodeText(html) : null)
    return {
      subject,
      from: { name: said.senderName ?? '', address: said.senderEmail ?? '' },
      to: to('to'),
      cc: to('cc'),
      bcc: to('bcc'),
      text,
      ...(page ? { html: page } : {}),
      dated: dayOf(said.clientSubmitTime ?? said.messageDeliveryTime),
      attachments: attachments.map((attachment, index) => {
        const { fileName, content } = file.getAttachment(attachment)
        const name = attachment.innerMsgContent ? `${fileName}.msg` : fileName
        return fileOf(name, attachment.attachMimeTag ?? OTHER_KIND.mediaType, content, index + 1)
      }),
    }
  } catch {
    throw new Unreadable(DAMAGED)
  }
}

/** Converts mails to their text under their subjects, with a readable copy. Attachments are listed by name, not read.
 *  @param addresses Where the attachments are stored, in order; null for one that isn't.
 *  @throws {Unreadable} if they contain no text. */
export function extractEmail(
  { letters, attachments }: OpenedMail,
  addresses: readonly (string | null)[] = [],
): Extraction {
  const links = attachments.map(({ name }, index) => linkTo(addresses[index], escaped(name)))
  const rendition = letters.map((letter) => htmlOf(letter, links.splice(0, letter.attachments.length))).join('\n')
  const [first, ...others] = letters
  if (!first || (attachments.length === 0 && !letters.some(hasText))) throw new Unreadable('mail_without_text')
  const { sections, outline } = textOfHtml(rendition)
  const about = {
    title: chooseTitle(first.subject),
    author: chooseAuthor(first.from && nameOf(first.from)),
    dated: first.dated,
  }
  const mail = { sections, mimeType: mediaTypeOf('eml'), pages: null, rendition, outline }
  return others.length > 0 ? mail : { ...mail, about }
}

const hasText = ({ subject = '', html = '', text = '' }: Letter): boolean =>
  /[\p{L}\p{N}]/u.test(subject + text) || hasWords(bodyOf(html))

const hasWords = (body: string): boolean =>
  /[\p{L}\p{N}]/u.test(body.replace(/<(style|script)\b[\s\S]*?<\/\1>|<[^>]*>|&\w+;/g, ''))

function htmlOf({ subject, from, to, cc, bcc, dated, html, text }: Letter, links: readonly string[]): string {
  const people = (all: readonly Address[] | undefined) => all && escaped(all.map(personOf).join(', '))
  const lines = [
    ['From', from && escaped(personOf(from))],
    ['To', people(to)],
    ['Cc', people(cc)],
    ['Bcc', people(bcc)],
    ['Date', dated],
    ['Attachments', links.join(', ')],
  ].flatMap(([name, value]) => (value ? [`${name}: ${value}`] : []))
  const page = bodyOf(html ?? '')
  // Some programs send an empty page next to the text.
  const body = hasWords(page) || !text ? page : paragraphsOf(text)
  return `<h1>${escaped(subject || 'No subject')}</h1>\n<p>${lines.join('<br>')}</p>\n${body}`
}

const linkTo = (address: string | null | undefined, html: string): string =>
  address ? `<a href="${escaped(address)}">${html}</a>` : html

/** Converts a web page saved with its pictures in one file (RFC 2557).
 *  @throws {Unreadable} if it's damaged or contains no page. */
export async function extractMhtml(bytes: Uint8Array): Promise<Extraction> {
  const { html, subject, date } = await parse(bytes)
  if (!html) throw new Unreadable('saved_page_missing')
  const extraction = extractHtml(html)
  const about = { title: chooseTitle(extraction.about?.title, subject), author: extraction.about?.author ?? null }
  return {
    ...extraction,
    mimeType: mediaTypeOf('mht'),
    about: { ...about, dated: extraction.about?.dated ?? dayOf(date) },
  }
}

/** Returns the source of the page in such a file; empty if there is none. */
export const pageIn = async (bytes: Uint8Array): Promise<string> => (await parse(bytes)).html ?? ''

async function parse(bytes: Uint8Array): Promise<Email> {
  try {
    return await parseMail(bytes, { forceRfc822Attachments: true, maxNestingDepth: 50 })
  } catch {
    throw new Unreadable(DAMAGED)
  }
}

const nameOf = ({ name, address, group }: Address): string =>
  group?.length ? `${name}: ${group.map(nameOf).join(', ')}` : name || address || ''

const personOf = (one: Address): string =>
  one.name && one.address && one.name !== one.address ? `${one.name} <${one.address}>` : nameOf(one)

const paragraphsOf = (text: string): string =>
  text
    .split(/\r?\n\s*\r?\n/)
    .map((paragraph) => `<p>${escaped(paragraph.trim()).replace(/\r?\n/g, '<br>')}</p>`)
    .join('\n')
