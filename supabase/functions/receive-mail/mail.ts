import type { Address, Email } from 'postal-mime'
import { parseMail } from '../_shared/mail/parse-mail.ts'
import { MAX_ATTACHMENTS, type Part, partOf } from '../_shared/mail/parts.ts'
import { cut, line } from '../_shared/mail/user-text.ts'
import { sha256 } from '../_shared/sha256.ts'
import { MailRefusal } from './refused-mail.ts'

const LIMITS = { maxNestingDepth: 50, maxHeadersSize: 1_048_576 }
/** A mail of 25 MB has 350,000 lines. Parsing time grows with their number. */
const MAX_LINES = 500_000

export type Mail = {
  readonly sender: { readonly name: string; readonly address: string }
  /** On one line; empty if there is none. */
  readonly subject: string
  /** ISO 8601; null if missing or invalid. */
  readonly sentAt: string | null
  /** SHA-256 of the Message-ID, or of the whole message if it has none, in hexadecimal. */
  readonly hash: string
  readonly html: string
  readonly text: string
  readonly parts: readonly Part[]
  readonly recipients: readonly string[]
}

/** Parses a message (RFC 5322, MIME). Nested mails become files.
 *  @throws {MailRefusal} if it has too many lines, its headers are too large, or its parts are nested too deeply. */
export async function readMail(message: Uint8Array): Promise<Mail> {
  const email = await parse(message)
  const from = mailboxOf(email.from) ?? mailboxOf(email.sender)
  return {
    sender: { name: cut(line(from?.name ?? ''), 200), address: cut(line(from?.address ?? ''), 320) },
    subject: cut(line(email.subject ?? ''), 300),
    sentAt: timeOf(email.date),
    hash: sha256(email.messageId?.trim() || message),
    html: email.html ?? '',
    text: email.text ?? '',
    parts: email.attachments.map(partOf),
    recipients: recipientsOf(email),
  }
}

export const hasTooManyParts = ({ parts }: Mail): boolean => parts.length > MAX_ATTACHMENTS

async function parse(message: Uint8Array): Promise<Email> {
  if (linesOf(message) > MAX_LINES) throw new MailRefusal('large')
  try {
    return await parseMail(message, { ...LIMITS, forceRfc822Attachments: true })
  } catch {
    throw new MailRefusal('damaged')
  }
}

function linesOf(message: Uint8Array): number {
  let lines = 1
  for (const byte of message) if (byte === LINE_FEED) lines++
  return lines
}
const LINE_FEED = 0x0a

const mailboxOf = (address: Address | undefined) => (address?.group ? address.group[0] : address)

function recipientsOf({ to = [], cc = [], bcc = [], headers }: Email): string[] {
  const named = [...to, ...cc, ...bcc].flatMap((one) => one.group ?? [one]).map(({ address }) => address)
  const delivered = headers.filter(({ key }) => DELIVERED.has(key)).map(({ value }) => value)
  return [...delivered, ...named]
}
/** Headers in which mail servers record the delivery address. */
const DELIVERED = new Set(['delivered-to', 'x-original-to', 'envelope-to', 'x-envelope-to', 'x-forwarded-to'])

function timeOf(date: string | undefined): string | null {
  const time = new Date(date ?? '')
  const year = time.getUTCFullYear()
  return year >= 1970 && year <= 9999 ? time.toISOString() : null
}
