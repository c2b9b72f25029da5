import { isTnef } from '../file-kinds.ts'
import { decodeText } from './charset.ts'
import { extractRtf } from './rtf.ts'

/** Attributes ([MS-OXTNEF] 2.1.3.3). */
const [ATTACHMENT_BEGINS, ATTACHMENT_TITLE, ATTACHMENT_DATA] = [0x9002, 0x8010, 0x800f]
const [ATTACHMENT_PROPERTIES, MESSAGE_PROPERTIES, SUBJECT] = [0x9005, 0x9003, 0x8004]
/** Properties ([MS-OXPROPS]). */
const [TITLE, BODY, BODY_RTF, BODY_HTML] = [0x37, 0x1000, 0x1009, 0x1013]
const [FILE_DATA, FILE_NAME, LONG_FILE_NAME] = [0x3701, 0x3704, 0x3707]
/** Types of properties ([MS-OXCDATA] 2.11.1): bytes of those of a fixed size, those with a length, and the bit of lists. */
const SIZES: Readonly<Record<number, number>> = { 5: 8, 6: 8, 7: 8, 20: 8, 64: 8, 72: 16 }
const [OBJECT, STRING, WIDE_STRING, BINARY, LIST] = [0xd, 0x1e, 0x1f, 0x102, 0x1000]
/** An attached message begins with the id of its interface. */
const INTERFACE = 16

/** Opens a message in Outlook's own format, which it sends to others as `winmail.dat`. Reads a damaged one as far as possible. */
export async function openTnef(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let message: ReadonlyMap<number, Uint8Array> = new Map()
  let subject = ''
  const attachments: { name: string; bytes: Uint8Array }[] = []
  try {
    for (let at = 6; at + 9 < bytes.length; ) {
      const id = view.getUint32(at + 1, true) & 0xffff
      const size = view.getUint32(at + 5, true)
      const data = bytes.subarray(at + 9, at + 9 + size)
      at += 9 + size + 2
      const attachment = attachments.at(-1)
      if (id === SUBJECT) subject = await textOf(data)
      else if (id === MESSAGE_PROPERTIES) message = propertiesOf(data)
      else if (id === ATTACHMENT_BEGINS) attachments.push({ name: '', bytes: new Uint8Array() })
      else if (!attachment) continue
      else if (id === ATTACHMENT_TITLE) attachment.name ||= await textOf(data)
      else if (id === ATTACHMENT_DATA) attachment.bytes = data
      else if (id === ATTACHMENT_PROPERTIES) {
        const properties = propertiesOf(data)
        attachment.name = (await textOf(properties.get(LONG_FILE_NAME) ?? properties.get(FILE_NAME))) || attachment.name
        const file = properties.get(FILE_DATA)
        if (file && attachment.bytes.length === 0)
          attachment.bytes = isTnef(file.subarray(INTERFACE)) ? file.subarray(INTERFACE) : file
      }
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  const html = await textOf(message.get(BODY_HTML))
  const text = await textOf(message.get(BODY))
  return {
    subject: (await textOf(message.get(TITLE))) || subject,
    html: html || (text ? '' : await htmlOfRtf(message.get(BODY_RTF))),
    text,
    attachments,
  }
}

async function htmlOfRtf(packed: Uint8Array | undefined): Promise<string> {
  try {
    const { decompressRTF } = await import('@kenjiuno/decompressrtf')
    return packed ? (extractRtf(Uint8Array.from(decompressRTF([...packed]))).rendition ?? '') : ''
  } catch {
    return ''
  }
}

async function textOf(bytes: Uint8Array = new Uint8Array()): Promise<string> {
  const end = bytes.indexOf(0)
  return (await decodeText(end === -1 ? bytes : bytes.subarray(0, end))) ?? ''
}

/** The properties that have a length, by their ids; of a list the first, wide strings in UTF-8. */
function propertiesOf(bytes: Uint8Array): Map<number, Uint8Array> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const attributes = new Map<number, Uint8Array>()
  let at = 4
  const next = () => {
    at += 4
    return view.getUint32(at - 4, true)
  }
  const padded = (size: number) => Math.ceil(size / 4) * 4
  for (let remaining = view.getUint32(0, true); remaining > 0; remaining -= 1) {
    const key = next()
    const [type, id] = [key & 0xffff, key >>> 16]
    if (id >= 0x8000) {
      at += 16
      const isNamed = next() === 1
      const size = next()
      if (isNamed) at += padded(size)
    }
    const kind = type & ~LIST
    const hasLength = kind === OBJECT || kind === STRING || kind === WIDE_STRING || kind === BINARY
    for (let values = hasLength || type & LIST ? next() : 1; values > 0 && at < bytes.length; values -= 1) {
      const size = hasLength ? next() : (SIZES[kind] ?? 4)
      const value = bytes.subarray(at, at + size)
      at += padded(size)
      if (hasLength && !attributes.has(id)) attributes.set(id, kind === WIDE_STRING ? fromUtf16(value) : value)
    }
  }
  return attributes
}

const fromUtf16 = (wide: Uint8Array): Uint8Array => new TextEncoder().encode(new TextDecoder('utf-16le').decode(wide))
