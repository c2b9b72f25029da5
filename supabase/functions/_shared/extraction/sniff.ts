import { type KindCode, Unreadable } from '../errors.ts'
import {
  endingOf,
  FILE_KINDS,
  type FileKind,
  hasSignature,
  isTnef,
  kindOfName,
  type OldFormat,
  OTHER_KIND,
  type PackedFormat,
} from '../file-kinds.ts'
import { decodeText, inUtf8 } from './charset.ts'
import { mainPart } from './office-parts.ts'
import { Zip } from './zip.ts'

export type MailFormat = 'email' | 'mbox' | 'msg' | 'tnef'

export type Content =
  | { readonly kind: 'pdf' }
  | { readonly kind: PackedFormat; readonly archive: Zip }
  | { readonly kind: 'rtf' | 'mhtml' | MailFormat }
  | { readonly kind: OldFormat }
  | { readonly kind: 'image'; readonly mimeType: string }
  | { readonly kind: 'text'; readonly mimeType: string; readonly text: string }
  | { readonly kind: 'none'; readonly mimeType: string; readonly name: string }

type Signature = { readonly name: KindCode; readonly kind?: FileKind } & NonNullable<FileKind['signature']>

const SIGNATURES: readonly Signature[] = [
  ...FILE_KINDS.flatMap((kind) =>
    kind.signature && !kind.entry ? [{ name: kind.name, kind, ...kind.signature }] : [],
  ),
  { name: 'zip', at: 0, bytes: 'PK\x03\x04' },
  { name: 'ole', at: 0, bytes: '\xd0\xcf\x11\xe0' },
  { name: 'gzip', at: 0, bytes: '\x1f\x8b' },
  { name: 'program', at: 0, bytes: '\x7fELF' },
  { name: 'program', at: 0, bytes: 'MZ' },
]
/** A header name, which starts every mail (RFC 5322), optionally after a mailbox's `From` line or a blank line. Matches
 *  without backtracking, because the file may be hostile. */
const HEADER = /^\s*(?:From [^\n]*\n)?[!-9;-~]+[ \t]*:/

/** The line before each mail of a mailbox file (RFC 4155), and the first header. */
const MAILBOX = /^From [^\n]{1,300}\d{4}\r?\n[!-9;-~]+:/

const keptAs = (name: string, { mediaType } = OTHER_KIND): Content => ({ kind: 'none', mimeType: mediaType, name })

/** Detects a file's type from its bytes. The name decides among text formats, which have no signature, and unreadable
 *  formats. A file of an unknown kind and unrecognized bytes is kept as it is. Under names of Office before 2007, programs
 *  also save web pages, tables and newer formats, so such a name decides nothing.
 *  @throws {Unreadable} if it's empty or doesn't match the type its name claims. */
export async function sniff(bytes: Uint8Array, fileName: string): Promise<Content> {
  if (bytes.length === 0) throw new Unreadable('file_empty')
  const named = kindOfName(fileName)
  const isOld = OLD_FORMATS.some(([format]) => format === named.read)
  const claimed = named === OTHER_KIND || isOld ? undefined : named
  if (claimed?.read === 'none') return keptAs(fileName, claimed)
  const matching = SIGNATURES.find((signature) => hasSignature(bytes, signature)) ?? laterSignature(bytes, claimed)
  if (matching?.name === 'ole' && endingOf(fileName) === 'msg') return { kind: 'msg' }
  if (matching) return known(matching, claimed, named, fileName, bytes)
  if (isTnef(bytes)) return { kind: 'tnef' }
  const head = new TextDecoder('latin1').decode(inUtf8(bytes.subarray(0, 4096)))
  if (endingOf(fileName) === 'emlx' && /^\d+ *\n/.test(head)) return { kind: 'email' }
  if (HEADER.test(head)) {
    if (claimed?.read === 'email' || claimed?.read === 'mhtml') return { kind: claimed.read }
    if (isOld && /^content-type:\s*multipart\/related/im.test(head)) return { kind: 'mhtml' }
  }
  if (MAILBOX.test(head)) return { kind: 'mbox' }

  const text = await decodeText(bytes, !claimed)
  if (!text?.trim()) {
    if (!claimed) return keptAs(fileName)
    throw text === null ? new Unreadable('file_damaged', { name: fileName }) : new Unreadable('file_without_text')
  }
  if (claimed && claimed.read !== 'text') {
    throw new Unreadable('file_misnamed_text', { name: fileName, claimed: claimed.name })
  }
  const looksLikeHtml =
    /^\s*(?:<\?xml\b[^<>]*>\s*|<!--(?:(?!-->)[\s\S])*-->\s*)*<(?:!doctype html|html|head|body)[\s>]/i.test(text)
  const mimeType = claimed?.mediaType ?? (named.read === 'xls' ? 'text/csv' : 'text/plain')
  return { kind: 'text', mimeType: looksLikeHtml ? 'text/html' : mimeType, text }
}

function known(
  found: Signature,
  claimed: FileKind | undefined,
  named: FileKind,
  fileName: string,
  bytes: Uint8Array,
): Content {
  if (found.name === 'zip') return packed(bytes, claimed, fileName)
  if (found.name === 'ole') {
    const streams = streamsIn(bytes)
    if (named !== OTHER_KIND && streams.has('encryptedpackage')) throw new Unreadable('archive_protected')
    const formats = OLD_FORMATS.filter(([, stream]) => streams.has(stream)).map(([format]) => format)
    const format = formats.find((one) => one === named.read) ?? (claimed ? undefined : formats[0])
    if (format) return { kind: format }
  }
  const { kind } = found
  if (claimed && claimed !== kind) throw otherThanClaimed(fileName, claimed, found.name)
  if (kind?.read === 'image') return { kind: 'image', mimeType: kind.mediaType }
  if (kind?.read === 'pdf' || kind?.read === 'rtf') return { kind: kind.read }
  return keptAs(fileName)
}

/** The streams of documents from before Office 2007. */
const OLD_FORMATS: readonly (readonly [OldFormat, string])[] = [
  ['doc', 'worddocument'],
  ['ppt', 'powerpoint document'],
  ['xls', 'workbook'],
  ['xls', 'book'],
]

/** Returns the names of a compound file's streams in lower case, because their case has no meaning. Entries have 128 bytes
 *  and begin with the name; its length, with the final 0, is at byte 64 ([MS-CFB] 2.6.1). */
function streamsIn(bytes: Uint8Array): Set<string> {
  const names = new Set<string>()
  for (let at = 512; at + 128 <= bytes.length; at += 128) {
    const length = bytes[at + 64] ?? 0
    if (length > 2 && length <= 64 && bytes[at + 65] === 0)
      names.add(new TextDecoder('utf-16le').decode(bytes.subarray(at, at + length - 2)).toLowerCase())
  }
  return names
}

const otherThanClaimed = (fileName: string, claimed: FileKind, found: KindCode) =>
  new Unreadable('file_misnamed', { name: fileName, claimed: claimed.name, found })

type PackedKind = FileKind & { readonly read: PackedFormat; readonly entry: string }
const PACKED = FILE_KINDS.filter((kind): kind is PackedKind => kind.entry !== undefined)

const OPEN_DOCUMENT = /^application\/vnd\.oasis\.opendocument\.(?:text|spreadsheet|presentation|graphics)/

function packed(bytes: Uint8Array, claimed: FileKind | undefined, fileName: string): Content {
  try {
    const archive = new Zip(bytes)
    if (archive.has('xl/workbook.bin')) return { kind: 'xls' }
    const main = mainPart(archive, '', 'archive_damaged')
    const type = archive.text('mimetype')
    const found = PACKED.find(({ entry, read, mediaType }) => {
      // The main part of an Office Open XML file may have another name in the same folder.
      if (!archive.has(entry) && !main.startsWith(entry.replace(/[^/]*$/, '') || '/')) return false
      // OpenDocument formats share their entries; the `mimetype` entry tells them apart.
      return read !== 'odt' || (type ?? claimed?.mediaType)?.startsWith(mediaType)
    })
    if (!claimed && OPEN_DOCUMENT.test(type ?? '')) return { kind: 'odt', archive }
    if (claimed && claimed !== found) throw otherThanClaimed(fileName, claimed, found?.name ?? 'zip')
    return found ? { kind: found.read, archive } : keptAs(fileName)
  } catch (error) {
    if (claimed || !(error instanceof Unreadable)) throw error
    return keptAs(fileName)
  }
}

/** Readers accept a PDF header within the first 1024 bytes or a little later (ISO 32000-1, annex H, note 13), and an RTF header after
 *  blank lines. An archive may contain one there as well, so the file name has to claim it. */
function laterSignature(bytes: Uint8Array, claimed: FileKind | undefined): Signature | undefined {
  if (claimed?.read !== 'pdf' && claimed?.read !== 'rtf') return undefined
  const signature = SIGNATURES.find(({ kind }) => kind === claimed)
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 2048))
  return signature && head.includes(`${signature.bytes}`) ? signature : undefined
}
