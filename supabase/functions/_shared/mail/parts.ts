import type { Attachment } from 'postal-mime'
import { kindOfMediaType, OTHER_KIND } from '../file-kinds.ts'
import { cut, line } from './user-text.ts'

/** Of one mail. */
export const MOST_ATTACHMENTS = 50
/** Bytes; the limit of the bucket for pictures. */
const LARGEST_PICTURE = 10_485_760

const PICTURES: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/avif': 'avif',
}

/** A part of a mail beside its text. */
export type Part = {
  /** On one line, without slashes; null when the mail does not say. */
  readonly name: string | null
  readonly type: string
  readonly bytes: Uint8Array
  /** To be shown within the text, as the sender's program says. */
  readonly isInline: boolean
  /** As the HTML refers to it after `cid:`. */
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

/** What a file may be called in a library: the end of a longer name is kept, where its type is. */
export function fileName(name: string | null): string | null {
  const plain = line((name ?? '').replaceAll(/[/\\]/g, '_').replaceAll('\0', '')).replace(/^\.+/, '')
  return cut(plain.length > 200 ? plain.slice(-200) : plain, 200) || null
}

/** The name of a part as a file; one without a name is called by its number and its type. */
export function nameOfPart({ name, type }: Pick<Part, 'name' | 'type'>, number: number): string {
  const [ending] = type === 'text/calendar' ? ['ics'] : (kindOfMediaType(type) ?? OTHER_KIND).endings
  return name ?? `file-${number}.${ending}`
}

/** The ending of a picture that a text can show; undefined for anything else. */
export function pictureEnding(type: string, bytes: Uint8Array): string | undefined {
  return bytes.length > 0 && bytes.length <= LARGEST_PICTURE ? PICTURES[type] : undefined
}

/** The type of a part, if it may be a picture: some programs send every file as bytes of an unknown type. */
export function pictureType({ name, type }: Pick<Part, 'name' | 'type'>): string {
  if (type !== 'application/octet-stream') return type
  const ending = /\.([a-z]+)$/i
    .exec(name ?? '')?.[1]
    ?.toLowerCase()
    .replace('jpeg', 'jpg')
  return Object.keys(PICTURES).find((known) => PICTURES[known] === ending) ?? type
}

/** The part that HTML refers to. @param id What stands behind `cid:`. */
export const partWithId = (parts: readonly Part[], id: string): Part | undefined =>
  parts.find(({ contentId }) => contentId === id || contentId === decoded(id))

function decoded(id: string): string {
  try {
    return decodeURIComponent(id)
  } catch {
    return id
  }
}

/** The parts of a mail that are files beside its text: all but the pictures that belong into the text. */
export function attachmentsAmong(parts: readonly Part[], html: string): Part[] {
  const named = [...html.matchAll(/cid:([^"'\s<>)]+)/gi)].map(([, id = '']) => partWithId(parts, id))
  const isInText = (part: Part) => part.isInline || named.includes(part)
  return parts.filter((part) => !(isInText(part) && pictureEnding(pictureType(part), part.bytes)))
}
