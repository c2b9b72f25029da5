import { Buffer } from 'node:buffer'
import PostalMime, { type Email, type PostalMimeOptions } from 'postal-mime'
import { decodeText, inUtf8 } from '../extraction/charset.ts'
import { partOf } from './parts.ts'

/** PostalMime takes text that names no character set for UTF-8. Under this one it keeps each byte, as U+F780 to U+F7FF. */
const AS_BYTES = '; charset=x-user-defined'
const WITHOUT_CHARSET = /^content-type:[ \t]*text\/(?:plain|html)\b(?:(?!charset).|\n(?=[ \t]))*$(?!\n[ \t])/gim

/** Character sets that say nothing, that PostalMime takes for Windows-1252, or that the whole file was converted from. The same length keeps parts alike. */
const USELESS_CHARSET =
  /\bcharset(?=="?(?:us-ascii|ascii|ansi_x3\.4-1968|unknown(?:-8bit)?|x-unknown|utf-?16|unicode|(?:ibm|cp|dos)-?[478]\d\d)\b)/gi
const HIDDEN_CHARSET = 'qharzet'

/** Parses a message (RFC 5322, MIME). Text and headers that name no character set are decoded by what they declare themselves or by
 *  their statistics.
 *  @throws what PostalMime throws, if a limit of `options` is exceeded */
export async function parseMail(bytes: Uint8Array, options: PostalMimeOptions): Promise<Email> {
  // A leading blank line would end the headers before they start.
  const saved = Buffer.from(inUtf8(bytes)).toString('latin1').trimStart()
  // Apple Mail writes the length of a message above it, and properties below.
  const [before = '', length] = /^(\d+) *\n/.exec(saved) ?? []
  const whole = length ? saved.slice(before.length, before.length + Number(length)) : saved
  const source = whole
    .replace(whole.includes('\n') ? /\r+\n/g : /\r/g, '\n')
    .replace(USELESS_CHARSET, HIDDEN_CHARSET)
    // Spaces after the sign of a continued line don't count (RFC 2045, section 6.7).
    .replace(/=[ \t]+\n/g, '=\n')
  const body = Math.max(0, source.indexOf('\n\n'))
  let head = source.slice(0, body)
  if (/[\x80-\xff]/.test(head)) head = (await decodeText(Buffer.from(head, 'latin1'))) ?? head
  head = head.replace(WORDS, joined)
  if (!/^content-type:/im.test(head)) head = `Content-Type: text/plain\n${head}`
  const mail = Buffer.concat([
    Buffer.from(head.replace(WITHOUT_CHARSET, `$&${AS_BYTES}`)),
    Buffer.from(source.slice(body).replace(WITHOUT_CHARSET, `$&${AS_BYTES}`), 'latin1'),
  ])
  const email = await new Parser(options).parse(mail)
  const { html, text, attachments } = email
  return {
    ...email,
    ...(html ? { html: unmarked(await decoded(html)) } : {}),
    ...(text ? { text: unmarked(await decoded(text)) } : {}),
    attachments: attachments.map((part) => ({ ...part, content: bytesUnmarked(partOf(part).bytes) })),
  }
}

/** Reads a body in one piece: of its lines, PostalMime would make a Blob, which takes Deno 15 µs per line. */
class Parser extends PostalMime {
  declare readonly buf: ArrayBuffer
  declare readPos: number
  declare readonly boundaries: readonly { readonly value: Uint8Array }[]
  declare readonly currentNode: { state: string; contentTransferEncoding: { encoding?: string } }

  readLine(): { bytes: Uint8Array; done: boolean } {
    const rest = Buffer.from(this.buf, this.readPos)
    const { state, contentTransferEncoding: how } = this.currentNode
    const isMark = (at: number) =>
      rest.toString('latin1', at, at + 2) === '--' &&
      this.boundaries.some(({ value }) => rest.subarray(at + 2, at + 2 + value.length).equals(value))
    let end = rest.indexOf('\n')
    if (state === 'body' && how.encoding !== 'quoted-printable' && !isMark(0))
      while (end >= 0 && !isMark(end + 1)) end = rest.indexOf('\n--', end + 1)
    const length = end < 0 ? rest.length - Number(rest.at(-1) === 10) : end
    this.readPos += length + 1
    return { bytes: rest.subarray(0, length), done: this.readPos >= this.buf.byteLength }
  }
}

/** Words of a header encoded one by one, whose bytes may be divided inside a character (against RFC 2047). */
const WORDS = /=\?([\w-]+)\?b\?[^?\s]*\?=(?:\s+=\?\1\?b\?[^?\s]*\?=)+/gi

function joined(words: string, charset: string): string {
  const bytes = [...words.matchAll(/\?b\?([^?]*)\?=/gi)].map(([, word = '']) => Buffer.from(word, 'base64'))
  return `=?${charset}?B?${Buffer.concat(bytes).toString('base64')}?=`
}

/** Decodes what PostalMime kept as bytes. */
async function decoded(text: string): Promise<string> {
  const parts = text.match(/[\0-\x7f\uf780-\uf7ff]+|[^\0-\x7f\uf780-\uf7ff]+/g) ?? []
  const texts = parts.map(async (part) =>
    /[\uf780-\uf7ff]|~\{/.test(part) || part.includes('\x1b')
      ? ((await decodeText(Uint8Array.from(part, (sign) => sign.charCodeAt(0) & 0xff))) ?? part)
      : part,
  )
  return (await Promise.all(texts)).join('')
}

const unmarked = (text: string): string => text.replaceAll(AS_BYTES, '').replaceAll(HIDDEN_CHARSET, 'charset')

const bytesUnmarked = (bytes: Uint8Array): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.from(unmarked(Buffer.from(bytes).toString('latin1')), 'latin1'))
