import PostalMime, { type Address, type Email } from 'postal-mime'
import { Unreadable } from '../errors.ts'
import { mediaTypeOf } from '../file-kinds.ts'
import { attachmentsAmong, nameOfPart, type Part, partOf } from '../mail/parts.ts'
import { chooseAuthor, chooseTitle, dayOf } from './about.ts'
import { inUtf8 } from './charset.ts'
import { escaped } from './csv.ts'
import type { Extraction } from './extraction.ts'
import { bodyOf, extractHtml, textOfHtml } from './html.ts'

const DAMAGED = 'mail_damaged'

/** A mail with what is attached to it, under the names that files have. */
export type OpenedMail = { readonly email: Email; readonly attachments: readonly NamedPart[] }
type NamedPart = Part & { readonly name: string }

/** Takes a saved mail (RFC 5322, MIME) apart. Mails within it stay whole, as attachments.
 *  @throws {Unreadable} when it is damaged. */
export async function openMail(bytes: Uint8Array): Promise<OpenedMail> {
  const email = await parse(bytes, { forceRfc822Attachments: true })
  const parts = attachmentsAmong(email.attachments.map(partOf), email.html ?? '')
  return { email, attachments: parts.map((part, index) => ({ ...part, name: nameOfPart(part, index + 1) })) }
}

/** Converts a mail to its text under its subject, with a readable copy. Attachments are named, not read.
 *  @param addresses Where the attachments are, in their order; null for one that is nowhere else.
 *  @throws {Unreadable} when it contains no text. */
export function extractEmail(
  { email, attachments }: OpenedMail,
  addresses: readonly (string | null)[] = [],
): Extraction {
  const { subject, from, to, date, html, text } = email
  const names = attachments.map(({ name }, index) => linkTo(addresses[index], escaped(name)))
  const lines = [
    ['From', from && escaped(nameOf(from))],
    ['To', to && escaped(to.map(nameOf).join(', '))],
    ['Date', dayOf(date)],
    ['Attachments', names.join(', ')],
  ].flatMap(([name, value]) => (value ? [`${name}: ${value}`] : []))
  const body = html || paragraphsOf(text ?? '')
  if (!/[\p{L}\p{N}]/u.test(body.replace(/<[^>]*>/g, '')) && names.length === 0)
    throw new Unreadable('mail_without_text')
  const rendition = `<h1>${escaped(subject || 'No subject')}</h1>\n<p>${lines.join('<br>')}</p>\n${bodyOf(body)}`
  const { sections, outline } = textOfHtml(rendition)
  const about = { title: chooseTitle(subject), author: chooseAuthor(from && nameOf(from)), dated: dayOf(date) }
  return { sections, mimeType: mediaTypeOf('eml'), pages: null, rendition, about, outline }
}

const linkTo = (address: string | null | undefined, html: string): string =>
  address ? `<a href="${escaped(address)}">${html}</a>` : html

/** Converts a web page that a browser saved with its pictures in one file (RFC 2557) as the page itself.
 *  @throws {Unreadable} when it is damaged or contains no page. */
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

async function parse(bytes: Uint8Array, options: { forceRfc822Attachments?: boolean } = {}): Promise<Email> {
  try {
    // A blank line would end the headers before the first of them.
    const text = inUtf8(bytes)
    const start = text.findIndex((byte) => byte > 0x20)
    return await PostalMime.parse(text.subarray(start), { ...options, maxNestingDepth: 50 })
  } catch {
    throw new Unreadable(DAMAGED)
  }
}

const nameOf = ({ name, address, group }: Address): string => name || address || group?.map(nameOf).join(', ') || ''

const paragraphsOf = (text: string): string =>
  text
    .split(/\r?\n\s*\r?\n/)
    .map((paragraph) => `<p>${escaped(paragraph.trim()).replace(/\r?\n/g, '<br>')}</p>`)
    .join('\n')
