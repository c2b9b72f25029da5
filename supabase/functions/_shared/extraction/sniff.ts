import { DOCX } from './docx.ts'
import { EMAIL, MHTML } from './email.ts'
import { EPUB } from './epub.ts'
import { Unreadable } from './extraction.ts'
import { ODT } from './odt.ts'
import { PPTX } from './pptx.ts'
import { RTF } from './rtf.ts'
import { XLSX } from './xlsx.ts'
import { Zip } from './zip.ts'

export type Content =
  | { readonly kind: 'pdf' }
  | { readonly kind: PackedKind; readonly archive: Zip }
  | { readonly kind: 'rtf' | 'email' | 'mhtml' }
  | { readonly kind: 'image'; readonly mimeType: string }
  | { readonly kind: 'text'; readonly mimeType: TextType; readonly text: string }

export type PackedKind = 'docx' | 'epub' | 'odt' | 'pptx' | 'xlsx'
type TextType = 'text/markdown' | 'text/html' | 'text/csv' | 'text/plain'

type Signature = { readonly name: string; readonly mimeType: string; readonly at: number; readonly bytes: string }

const SIGNATURES: readonly Signature[] = [
  { name: 'a PDF', mimeType: 'application/pdf', at: 0, bytes: '%PDF-' },
  { name: 'a PNG image', mimeType: 'image/png', at: 0, bytes: '\x89PNG\r\n\x1a\n' },
  { name: 'a JPEG image', mimeType: 'image/jpeg', at: 0, bytes: '\xff\xd8\xff' },
  { name: 'a GIF image', mimeType: 'image/gif', at: 0, bytes: 'GIF8' },
  { name: 'a WebP image', mimeType: 'image/webp', at: 8, bytes: 'WEBP' },
  { name: 'an AVIF image', mimeType: 'image/avif', at: 4, bytes: 'ftypavif' },
  { name: 'an RTF document', mimeType: RTF, at: 0, bytes: '{\\rtf' },
  { name: 'a ZIP archive', mimeType: 'application/zip', at: 0, bytes: 'PK\x03\x04' },
  {
    name: 'an old or a protected Office document',
    mimeType: 'application/x-ole-storage',
    at: 0,
    bytes: '\xd0\xcf\x11\xe0',
  },
  { name: 'a gzip archive', mimeType: 'application/gzip', at: 0, bytes: '\x1f\x8b' },
  { name: 'a program', mimeType: 'application/x-executable', at: 0, bytes: '\x7fELF' },
  { name: 'a program', mimeType: 'application/x-executable', at: 0, bytes: 'MZ' },
]
const TYPES_BY_ENDING: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  md: 'text/markdown',
  markdown: 'text/markdown',
  html: 'text/html',
  htm: 'text/html',
  txt: 'text/plain',
  csv: 'text/csv',
  docx: DOCX,
  epub: EPUB,
  odt: ODT,
  pptx: PPTX,
  xlsx: XLSX,
  rtf: RTF,
  eml: EMAIL,
  mht: MHTML,
  mhtml: MHTML,
}
// C0 control characters that no text contains: all but tab, line feed, form feed and carriage return.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]/

/** Lines of headers, as every mail begins with (RFC 5322); a mailbox file has a line of its own before them. */
const HEADERS = /^(?:From [^\n]*\n)?(?:[!-9;-~]+:[^\n]*\r?\n(?:[ \t][^\n]*\r?\n)*){2}/

/** Detects the type of a file from its bytes. The name decides only between types of text, which have no signature.
 *  @throws {Unreadable} when it is empty, its type is not supported, or its name claims another type. */
export function sniff(bytes: Uint8Array, fileName: string): Content {
  if (bytes.length === 0) throw new Unreadable('The file is empty. Check the original and upload it again.')
  const claimed = TYPES_BY_ENDING[fileName.split('.').at(-1)?.toLowerCase() ?? '']
  const found = SIGNATURES.find((signature) => matches(bytes, signature)) ?? laterPdf(bytes)
  if (found) return known(found, claimed, fileName, bytes)
  if (
    (claimed === EMAIL || claimed === MHTML) &&
    HEADERS.test(new TextDecoder('latin1').decode(bytes.subarray(0, 4096)))
  ) {
    return { kind: claimed === EMAIL ? 'email' : 'mhtml' }
  }

  const text = decode(bytes)
  if (text === null) {
    throw new Unreadable(
      claimed
        ? `“${fileName}” is damaged or is not what its name says. Open it on your computer, save it again and upload that.`
        : 'We cannot read this kind of file. Save it as PDF, Word (.docx), Markdown or plain text and upload that.',
    )
  }
  if (text.trim() === '') throw new Unreadable('There is no text in the file. Check the original and upload it again.')
  if (claimed && !claimed.startsWith('text/')) {
    throw new Unreadable(
      `“${fileName}” calls itself ${nameOf(claimed)}, but it is plain text. Give it its true ending, or upload the original.`,
    )
  }
  const looksLikeHtml = /^\s*(<!--[\s\S]*?-->\s*)?<(!doctype html|html|head|body)[\s>]/i.test(text)
  const mimeType = looksLikeHtml
    ? 'text/html'
    : claimed === 'text/markdown' || claimed === 'text/html' || claimed === 'text/csv'
      ? claimed
      : 'text/plain'
  return { kind: 'text', mimeType, text }
}

function known(found: Signature, claimed: string | undefined, fileName: string, bytes: Uint8Array): Content {
  if (found.mimeType === 'application/zip') return packed(bytes, claimed, fileName)
  if (claimed && claimed !== found.mimeType) {
    throw new Unreadable(
      `“${fileName}” calls itself ${nameOf(claimed)}, but its content is ${found.name}. Give it its true ending, or upload the original.`,
    )
  }
  if (found.mimeType === 'application/pdf') return { kind: 'pdf' }
  if (found.mimeType === RTF) return { kind: 'rtf' }
  if (found.mimeType.startsWith('image/')) return { kind: 'image', mimeType: found.mimeType }
  throw new Unreadable(
    `This is ${found.name}, which we cannot read. Save it as PDF, Word (.docx), Markdown or plain text and upload that.`,
  )
}

type Packed = { readonly kind: PackedKind; readonly mimeType: string; readonly name: string; readonly entry: string }

/** Formats that are ZIP archives, by an entry that each of their files has. */
const PACKED: readonly Packed[] = [
  { kind: 'docx', mimeType: DOCX, name: 'a Word document', entry: 'word/document.xml' },
  { kind: 'pptx', mimeType: PPTX, name: 'a presentation', entry: 'ppt/presentation.xml' },
  { kind: 'xlsx', mimeType: XLSX, name: 'a spreadsheet', entry: 'xl/workbook.xml' },
  { kind: 'epub', mimeType: EPUB, name: 'a book (EPUB)', entry: 'META-INF/container.xml' },
  { kind: 'odt', mimeType: ODT, name: 'a text document (ODT)', entry: 'content.xml' },
]

function packed(bytes: Uint8Array, claimed: string | undefined, fileName: string): Content {
  const archive = new Zip(bytes)
  // Drawings, tables and slides of OpenDocument have the same entries, and say their type in one of its own.
  const isOther = archive.has('content.xml') && !archive.text('mimetype')?.startsWith(ODT)
  const found = PACKED.find(({ kind, entry }) => archive.has(entry) && !(kind === 'odt' && isOther))
  if (!found) {
    throw new Unreadable(
      'This is a ZIP archive or an Office document of another kind. Unpack it, or save it as PDF, and upload that.',
    )
  }
  if (claimed && claimed !== found.mimeType) {
    throw new Unreadable(
      `“${fileName}” calls itself ${nameOf(claimed)}, but its content is ${found.name}. Give it its true ending, or upload the original.`,
    )
  }
  return { kind: found.kind, archive }
}

const nameOf = (mimeType: string): string =>
  PACKED.find((format) => format.mimeType === mimeType)?.name ??
  SIGNATURES.find((signature) => signature.mimeType === mimeType)?.name ??
  (mimeType === EMAIL ? 'a mail' : 'a text')

const matches = (bytes: Uint8Array, { at, bytes: expected }: Signature): boolean =>
  Array.from(expected).every((character, index) => bytes[at + index] === character.charCodeAt(0))

/** Readers accept a PDF whose header is not at the very beginning (ISO 32000-1, note 13 in annex H: within 1024
 *  bytes). */
function laterPdf(bytes: Uint8Array): Signature | undefined {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, 1024))
  return start.includes('%PDF-') && start.indexOf('%PDF-') < 1024 && CONTROLS.test(start) ? SIGNATURES[0] : undefined
}

/** UTF-8, UTF-16 with its byte order mark, otherwise Windows-1252. That accepts any bytes, so only without control
 *  characters. */
function decode(bytes: Uint8Array): string | null {
  const mark =
    bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : null
  for (const encoding of [mark ?? 'utf-8', 'windows-1252']) {
    try {
      const text = new TextDecoder(encoding, { fatal: true }).decode(bytes)
      if (!CONTROLS.test(text)) return text
    } catch {
      // The bytes are not in this encoding, so the next one is tried.
    }
  }
  return null
}
