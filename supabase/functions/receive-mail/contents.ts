import { Buffer } from 'node:buffer'
import { MAX_NOTE, MAX_TITLE } from '../_shared/facts.ts'
import { stemOf } from '../_shared/file-kinds.ts'
import { nameOfPart, type Part, partWithId, pictureEnding, pictureType } from '../_shared/mail/parts.ts'
import type { Mail } from './mail.ts'
import { type Block, blocksOfHtml, blocksOfText, writeMarkdown } from './markdown.ts'

/** Pictures shown in the HTML, not attachments. */
const MAX_PICTURES = 50

const DATA = /^data:(image\/[a-z]+);base64,([A-Za-z0-9+/=\s]+)$/

export type Picture = { readonly name: string; readonly type: string; readonly bytes: Uint8Array }
export type LibraryFile = {
  readonly id: string
  readonly name: string
  readonly title: string
  readonly bytes: Uint8Array
  /** Whether attachments of this file, if it's a mail, become documents too. */
  readonly attachments: boolean
}

/** What a library stores for a mail: a note with its pictures and files, or a single file. */
export type Contents = {
  readonly note: { readonly id: string; readonly title: string; readonly body: string } | null
  readonly pictures: readonly Picture[]
  readonly files: readonly LibraryFile[]
}

/** @param message The whole mail, which is kept as a file if the note can't hold all of its text. */
export function contentsOf(mail: Mail, message: Uint8Array, library: string): Contents {
  const shown = new ShownPictures(mail.parts)
  const { blocks, isWhole } = textOf(mail, shown)
  const [only, ...others] = mail.parts
  if (only && others.length === 0 && isWhole && !hasText(blocks)) {
    return { note: null, pictures: [], files: [fileOf(only, 1)] }
  }
  const pictures = mail.parts.filter((part) => part.isInline && !shown.has(part)).flatMap((part) => shown.asBlock(part))
  const attached = mail.parts.filter((part) => !shown.has(part)).map((part, index) => fileOf(part, index + 1))
  // Its attachments are already stored with the note.
  const whole = { ...fileOf({ ...WHOLE, bytes: message }, attached.length + 1), attachments: false }
  const written = (text: readonly Block[], files: readonly LibraryFile[]): Contents => {
    const body = writeMarkdown([...text, ...linksTo(files, library, text.length > 0)])
    return { note: { id: crypto.randomUUID(), title: titleOf(mail, files), body }, pictures: shown.pictures, files }
  }
  const contents = written([...blocks, ...pictures], isWhole ? attached : [...attached, whole])
  if (Buffer.byteLength(contents.note?.body ?? '') <= MAX_NOTE) return contents
  const beginning = { type: 'text', value: mail.text.slice(0, MAX_NOTE / 16) }
  return written([{ type: 'paragraph', children: [beginning] }], [...attached, whole])
}

const WHOLE: Omit<Part, 'bytes'> = { name: 'mail.eml', type: 'message/rfc822', isInline: false, contentId: null }

/** Returns the mail's text, marked as incomplete if its HTML can't be read. */
function textOf({ html, text }: Mail, shown: ShownPictures): { blocks: Block[]; isWhole: boolean } {
  const blocks = html ? blocksOfHtml(html, (address) => shown.at(address)) : []
  if (blocks && hasContent(blocks)) return { blocks, isWhole: true }
  return { blocks: blocksOfText(text), isWhole: blocks !== null }
}

const hasText = (blocks: readonly Block[]): boolean =>
  blocks.some(({ value, children }) => (typeof value === 'string' && value.trim() !== '') || hasText(children ?? []))
const hasContent = (blocks: readonly Block[]): boolean =>
  hasText(blocks) || blocks.some(({ type, children }) => type === 'image' || hasContent(children ?? []))

/** The pictures shown in a mail's note, each stored once. */
class ShownPictures {
  readonly #parts: readonly Part[]
  readonly #names = new Map<Part | string, string>()
  readonly pictures: Picture[] = []

  constructor(parts: readonly Part[]) {
    this.#parts = parts
  }

  has(part: Part): boolean {
    return this.#names.has(part)
  }

  at(address: string): string | undefined {
    const id = /^cid:(.+)$/i.exec(address.trim())?.[1]
    const part = id && partWithId(this.#parts, id)
    if (part) return this.show(part)
    const [, type = '', data = ''] = DATA.exec(address) ?? []
    return data ? this.#store(address, type, Buffer.from(data, 'base64')) : undefined
  }

  /** Returns the note's name for a part; undefined if a note can't show it. */
  show(part: Part): string | undefined {
    return this.#store(part, pictureType(part), part.bytes)
  }

  /** Returns a paragraph with the picture, or nothing if a note can't show it. */
  asBlock(part: Part): Block[] {
    const url = this.show(part)
    return url ? [{ type: 'paragraph', children: [{ type: 'image', url, alt: part.name ?? '' }] }] : []
  }

  #store(key: Part | string, type: string, bytes: Uint8Array): string | undefined {
    const known = this.#names.get(key)
    if (known) return known
    const ending = pictureEnding(type, bytes)
    if (!ending || this.pictures.length >= MAX_PICTURES) return
    const name = `${crypto.randomUUID()}.${ending}`
    this.pictures.push({ name, type, bytes })
    this.#names.set(key, `pictures/${name}`)
    return `pictures/${name}`
  }
}

function fileOf(part: Pick<Part, 'name' | 'type' | 'bytes'>, number: number): LibraryFile {
  const name = nameOfPart(part, number)
  return { id: crypto.randomUUID(), name, title: stemOf(name), bytes: part.bytes, attachments: true }
}

/** Lists links to files, below a rule if there is text above. */
function linksTo(files: readonly LibraryFile[], library: string, isBelow: boolean): Block[] {
  if (files.length === 0) return []
  const items = files.map(({ id, name }): Block => {
    const link = { type: 'link', url: `/l/${library}/d/${id}`, children: [{ type: 'text', value: name }] }
    return { type: 'listItem', spread: false, children: [{ type: 'paragraph', children: [link] }] }
  })
  return [
    ...(isBelow ? [{ type: 'thematicBreak' }] : []),
    { type: 'list', ordered: false, spread: false, children: items },
  ]
}

function titleOf({ subject, sender }: Mail, files: readonly LibraryFile[]): string {
  const title = subject || files[0]?.title || sender.name || sender.address || 'Mail'
  return title.slice(0, MAX_TITLE).toWellFormed()
}
