import { Buffer } from 'node:buffer'
import { Busboy, type BusboyHeaders } from '@fastify/busboy'
import { z } from 'zod'
import { limitedBytes } from '../_shared/http.ts'
import { type Form, MailRefusal } from './refused-mail.ts'

export const MAX_MAIL_BYTES = 26_214_400
/** Postmark sends attachments twice: in the message, and separately in base64. */
const MAX_JSON_BYTES = 67_108_864
/** The message and other form fields. */
const MAX_FORM_BYTES = MAX_MAIL_BYTES + 2_097_152

/** A raw message and its envelope recipients; empty if unknown. */
export type HandedOver = { readonly form: Form; readonly message: Uint8Array; readonly recipients: readonly string[] }

export type Signature = { readonly timestamp: string; readonly token: string; readonly signature: string }

const Postmark = z.object({ RawEmail: z.string().min(1), OriginalRecipient: z.string().optional() })
const Envelope = z.object({ to: z.array(z.string()) })

/** Determines the request's format without reading its body. */
export function formOf(request: Request): Form {
  const [type = ''] = (request.headers.get('Content-Type') ?? '').toLowerCase().split(';')
  if (type === 'application/json') return 'postmark'
  if (type === 'application/x-www-form-urlencoded') return 'mailgun'
  if (type !== 'multipart/form-data') return 'message'
  // Mailgun sends raw messages only to addresses that end in /mime.
  return new URL(request.url).pathname.endsWith('/mime') ? 'mailgun' : 'sendgrid'
}

/** Reads the raw message from a request in one of the formats in refused-mail.ts.
 *  @throws {MailRefusal} if there is none or it's too large. */
export async function readHandedOver(request: Request, form: Form): Promise<HandedOver & { signature?: Signature }> {
  switch (form) {
    case 'message':
      return {
        form,
        message: await readBytes(request, MAX_MAIL_BYTES),
        recipients: (request.headers.get('X-Mail-To') ?? '').split(',').filter((one) => one.trim() !== ''),
      }
    case 'postmark':
      return fromPostmark(await readBytes(request, MAX_JSON_BYTES))
    case 'mailgun':
      return fromMailgun(await readFields(request))
    case 'sendgrid':
      return fromSendgrid(await readFields(request))
  }
}

function fromPostmark(body: Uint8Array): HandedOver {
  const sent = Postmark.safeParse(parsed(new TextDecoder().decode(body)))
  if (!sent.success) throw new MailRefusal('unsupported')
  const { RawEmail, OriginalRecipient } = sent.data
  const message = limited(new TextEncoder().encode(RawEmail))
  return { form: 'postmark', message, recipients: OriginalRecipient ? [OriginalRecipient] : [] }
}

function fromMailgun(fields: ReadonlyMap<string, Uint8Array>): HandedOver & { signature?: Signature } {
  const message = fields.get('body-mime')
  if (!message) throw new MailRefusal('unsupported')
  const [timestamp, token, signature, recipient] = ['timestamp', 'token', 'signature', 'recipient'].map((name) =>
    textOf(fields.get(name)),
  )
  return {
    form: 'mailgun',
    message: limited(message),
    recipients: recipient ? [recipient] : [],
    ...(timestamp && token && signature ? { signature: { timestamp, token, signature } } : {}),
  }
}

function fromSendgrid(fields: ReadonlyMap<string, Uint8Array>): HandedOver {
  const message = fields.get('email')
  if (!message) throw new MailRefusal('unsupported')
  const envelope = Envelope.safeParse(parsed(textOf(fields.get('envelope'))))
  return { form: 'sendgrid', message: limited(message), recipients: envelope.success ? envelope.data.to : [] }
}

const textOf = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes)

function limited(message: Uint8Array): Uint8Array {
  if (message.length > MAX_MAIL_BYTES) throw new MailRefusal('large')
  return message
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

async function readBytes(request: Request, largest: number): Promise<Uint8Array> {
  const bytes = await limitedBytes(request.body, largest)
  if (!bytes) throw new MailRefusal('large')
  return bytes
}

/** Reads form fields as bytes: a message need not be UTF-8, which `Request.formData` assumes. */
async function readFields(request: Request): Promise<Map<string, Uint8Array>> {
  const body = await readBytes(request, MAX_FORM_BYTES)
  const fields = new Map<string, Uint8Array>()
  const keep = (name: string, bytes: Uint8Array, isCut: boolean) => {
    if (!isCut) fields.set(name, bytes)
  }
  try {
    await new Promise<void>((resolve, reject) => {
      const form = new Busboy({
        headers: Object.fromEntries(request.headers) as BusboyHeaders,
        // Each byte becomes one character and back.
        defCharset: 'latin1',
        limits: { fieldSize: MAX_MAIL_BYTES + 1, fields: 100, files: 100, parts: 200, fileSize: MAX_MAIL_BYTES + 1 },
      })
      form.on('field', (name, value, _nameIsCut, isCut) => keep(name, Buffer.from(value, 'latin1'), isCut))
      form.on('file', (name, stream) => {
        const pieces: Uint8Array[] = []
        stream.on('data', (piece: Uint8Array) => pieces.push(piece))
        stream.on('end', () => keep(name, Buffer.concat(pieces), stream.truncated === true))
        stream.on('error', reject)
      })
      form.on('finish', () => resolve())
      form.on('error', reject)
      form.end(body)
    })
  } catch {
    throw new MailRefusal('unsupported')
  }
  return fields
}
