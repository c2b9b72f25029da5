import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import PostalMime, { type Address, type Attachment, type Email } from 'postal-mime'
import { createSerialQueue } from '../kernel/promises.ts'

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

/** A parsed mail. Property names are those of Mailpit's API where it has them. */
export type ParsedMail = {
  readonly MessageID: string
  readonly From: MailAddress
  readonly To: readonly MailAddress[]
  readonly Cc: readonly MailAddress[]
  readonly Bcc: readonly MailAddress[]
  readonly ReplyTo: readonly MailAddress[]
  readonly ReturnPath: string
  readonly Subject: string
  /** The Date header; null if missing or invalid. */
  readonly date: Date | null
  readonly Text: string
  readonly HTML: string
  readonly headers: ReadonlyMap<string, readonly string[]>
  readonly parts: readonly MailPart[]
}

/** The maximum number of lines parsed in this thread, about 40 ms: the parser needs about 0.02 ms for each, however short. */
const LINES_HERE = 2_000
/** The maximum number of lines parsed, about ten seconds: those of the largest mail with base64 attachments. */
const LINES_AT_MOST = 500_000

const inTurn = createSerialQueue()

/** Parses a mail, long ones in a separate thread. Any input results in a mail; missing parts are empty, and lines after the first 500,000
 *  are ignored. */
export function parseMail(raw: Uint8Array): Promise<ParsedMail> {
  if (endOfLine(raw, LINES_HERE) === raw.length) return parseHere(raw)
  return inTurn(() => parseElsewhere(raw.subarray(0, endOfLine(raw, LINES_AT_MOST))))
}

/** Returns the length in bytes of a mail's first lines, or of the whole mail if it has fewer. */
function endOfLine(raw: Uint8Array, lines: number): number {
  let end = 0
  for (let count = 0; count < lines; count++) {
    const next = raw.indexOf(LINE_FEED, end)
    if (next === -1) return raw.length
    end = next + 1
  }
  return end
}

const LINE_FEED = 0x0a

async function parseElsewhere(raw: Uint8Array): Promise<ParsedMail> {
  const worker = new Worker(new URL(WORKER, import.meta.url))
  // A stopping stack doesn't wait for it.
  worker.unref()
  try {
    worker.postMessage(raw)
    const [mail] = await once(worker, 'message')
    return mail as ParsedMail
  } finally {
    await worker.terminate()
  }
}

/** In the repository Node runs the TypeScript sources; the published package contains JavaScript. */
const WORKER = import.meta.url.endsWith('.ts') ? './parse-worker.ts' : './parse-worker.js'

/** Parses a mail in this thread. */
export async function parseHere(raw: Uint8Array): Promise<ParsedMail> {
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

/** A group of addresses is replaced by its members. */
const flatten = (addresses: readonly Address[] | undefined): MailAddress[] =>
  (addresses ?? []).flatMap((one) =>
    one.group ? flatten(one.group) : [{ Name: one.name, Address: one.address ?? '' }],
  )

/** Removes the final line break that the parser adds to every body, whether it was sent or not. */
const withoutLastBreak = (body = '') => body.replace(/\n$/, '')

function readDate(text: string | undefined): Date | null {
  const date = new Date(text ?? Number.NaN)
  return Number.isNaN(date.getTime()) ? null : date
}

function readHeaders(email: Email): Map<string, string[]> {
  const headers = new Map<string, string[]>()
  for (const { key, value } of email.headers) {
    // Mailpit's spelling, from Go: each word is capitalized.
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
