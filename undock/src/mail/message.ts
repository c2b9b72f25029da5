import { createHash } from 'node:crypto'
import PostalMime, { type Address, type Attachment, type Email } from 'postal-mime'

export type MailAddress = { readonly Name: string; readonly Address: string }

export type MailPart = {
  readonly PartID: string
  readonly FileName: string
  readonly ContentType: string
  readonly ContentID: string
  readonly Size: number
  readonly Checksums: { readonly MD5: string; readonly SHA1: string; readonly SHA256: string }
  readonly isInline: boolean
  readonly content: Uint8Array
}

/** A mail as read from its bytes. Names are those of Mailpit's API, where they are shown. */
export type ParsedMail = {
  readonly MessageID: string
  readonly From: MailAddress
  readonly To: readonly MailAddress[]
  readonly Cc: readonly MailAddress[]
  readonly Bcc: readonly MailAddress[]
  readonly ReplyTo: readonly MailAddress[]
  readonly ReturnPath: string
  readonly Subject: string
  /** The Date header; null when there is none that can be read. */
  readonly date: Date | null
  readonly Text: string
  readonly HTML: string
  readonly headers: ReadonlyMap<string, readonly string[]>
  readonly parts: readonly MailPart[]
}

/** Reads a mail's bytes. Anything at all reads as some mail: what is not there is empty. */
export async function parseMail(raw: Uint8Array): Promise<ParsedMail> {
  const email = await PostalMime.parse(raw, { attachmentEncoding: 'arraybuffer' })
  return {
    MessageID: (email.messageId ?? '').replace(/^<|>$/g, ''),
    From: flatten(email.from ? [email.from] : [])[0] ?? { Name: '', Address: '' },
    To: flatten(email.to),
    Cc: flatten(email.cc),
    Bcc: flatten(email.bcc),
    ReplyTo: flatten(email.replyTo),
    ReturnPath: email.returnPath ?? '',
    Subject: email.subject ?? '',
    date: readDate(email.date),
    Text: withoutLastBreak(email.text),
    HTML: withoutLastBreak(email.html),
    headers: readHeaders(email),
    parts: email.attachments.map(readPart),
  }
}

/** Groups of addresses count as their members. */
const flatten = (addresses: readonly Address[] | undefined): MailAddress[] =>
  (addresses ?? []).flatMap((one) =>
    one.group ? flatten(one.group) : [{ Name: one.name, Address: one.address ?? '' }],
  )

/** The parser ends every body with a line break, whether it was sent or not. */
const withoutLastBreak = (body = '') => body.replace(/\n$/, '')

function readDate(text: string | undefined): Date | null {
  const date = new Date(text ?? Number.NaN)
  return Number.isNaN(date.getTime()) ? null : date
}

function readHeaders(email: Email): Map<string, string[]> {
  const headers = new Map<string, string[]>()
  for (const { key, value } of email.headers) {
    // The spelling of Mailpit, which has it from Go: each word with a capital, nothing else.
    const name = key.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase())
    headers.set(name, [...(headers.get(name) ?? []), value])
  }
  return headers
}

function readPart(attachment: Attachment, index: number): MailPart {
  const content = bytesOf(attachment.content)
  const hash = (algorithm: string) => createHash(algorithm).update(content).digest('hex')
  return {
    PartID: String(index + 1),
    FileName: attachment.filename ?? '',
    ContentType: attachment.mimeType,
    ContentID: (attachment.contentId ?? '').replace(/^<|>$/g, ''),
    Size: content.length,
    Checksums: { MD5: hash('md5'), SHA1: hash('sha1'), SHA256: hash('sha256') },
    isInline: attachment.disposition === 'inline' || attachment.related === true,
    content,
  }
}

const bytesOf = (content: Attachment['content']): Uint8Array =>
  typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content)
