import type { Attachment } from 'postal-mime'
import { kindOfMediaType, kindOfName, OTHER_KIND } from '../file-kinds.ts'
import { cut, line } from './user-text.ts'

export const MAX_ATTACHMENTS = 50
/** Bytes; the limit of the bucket for pictures. */
const MAX_PICTURE_BYTES = 10_485_760

const PICTURE = /^image\/(?:png|jpeg|webp|gif|avif)$/

export type Part = {
  /** On one line, without slashes; null if there is none. */
  readonly name: string | null
  readonly type: string
  readonly bytes: Uint8Array
  /** Whether the sender's program marked it as inline. */
  readonly isInline: boolean
  readonly contentId: string | null
}

export function partOf({ filename, mimeType, disposition, contentId, content }: Attachment): Part {
  return {
    name: fileName(filename),
    type: mimeType.toLowerCase(),
    bytes: typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content),
    isInline: disposition === 'inline',
    contentId: contentId?.replace(/^<|>$/g, '') || null,
  }
}

/** Makes a valid file name. Long names are cut at the start, to keep the extension. */
export function fileName(name: string | null): string | null {
  const plain = line((name ?? '').replaceAll(/[/\\]/g, '_').replaceAll('\0', '')).replace(/^\.+/, '')
  return cut(plain.length > 200 ? plain.slice(-200) : plain, 200) || null
}

/** Returns the file name of a part; an unnamed part gets its number and extension. */
export function nameOfPart({ name, type }: Pick<Part, 'name' | 'type'>, number: number): string {
  const [ending] = type === 'text/calendar' ? ['ics'] : (kindOfMediaType(type) ?? OTHER_KIND).endings
  return name ?? `file-${number}.${ending}`
}

/** Returns the extension of a picture that notes can show; undefined for anything else. */
export function pictureEnding(type: string, bytes: Uint8Array): string | undefined {
  const isShown = PICTURE.test(type) && bytes.length > 0 && bytes.length <= MAX_PICTURE_BYTES
  return isShown ? kindOfMediaType(type)?.endings[0] : undefined
}

/** Returns the type of a part, inferred from its name if the mail program sent it as generic bytes. */
export const pictureType = ({ name, type }: Pick<Part, 'name' | 'type'>): string =>
  type === OTHER_KIND.mediaType && kindOfName(name ?? '').type === 'image' ? kindOfName(name ?? '').mediaType : type

/** Returns the part that HTML refers to. @param id The text after `cid:`. */
export const partWithId = (parts: readonly Part[], id: string): Part | undefined =>
  parts.find(({ contentId }) => contentId === id || contentId === decoded(id))

function decoded(id: string): string {
  try {
    return decodeURIComponent(id)
  } catch {
    return id
  }
}

/** Parts that only mail programs use: signatures, and what classic Mac OS knows about a file. */
const TECHNICAL = /^application\/(?:applefile|pgp-signature|(?:x-)?pkcs7-signature)$/

/** Returns the parts that are attachments: all except pictures shown in the text and technical parts. */
export function attachmentsAmong(parts: readonly Part[], html: string): Part[] {
  const named = new Set([...html.matchAll(/cid:([^"'\s<>)]+)/gi)].flatMap(([, id = '']) => [id, decoded(id)]))
  const isInText = ({ isInline, contentId }: Part) => isInline || (contentId !== null && named.has(contentId))
  return parts.filter(
    (part) => !TECHNICAL.test(part.type) && !(isInText(part) && pictureEnding(pictureType(part), part.bytes)),
  )
}
