import type { KindCode } from './errors.ts'

/** File types for filters. The app has a name and an icon for each (src/domain/document-filter.ts). */
export type FileType =
  | 'pdf'
  | 'word'
  | 'document'
  | 'presentation'
  | 'spreadsheet'
  | 'book'
  | 'mail'
  | 'web'
  | 'markdown'
  | 'text'
  | 'table'
  | 'image'
  | 'video'
  | 'audio'
  | 'other'

export type FileKind = {
  /** Without dots. The first is the default for files without a name. */
  readonly endings: readonly [string, ...string[]]
  readonly mediaType: string
  /** How messages refer to such a file. */
  readonly name: KindCode
  readonly type: FileType
  /** Which extractor reads it; `none` for a file that is kept as it is. */
  readonly read: 'pdf' | PackedFormat | OldFormat | 'rtf' | 'email' | 'mhtml' | 'image' | 'text' | 'none'
  /** How the reader shows it: the file itself in this view, the readable copy, or only a download. */
  readonly show: 'pages' | 'picture' | 'text' | 'copy' | 'player' | 'download'
  readonly search: 'text' | 'recognized text' | 'name'
  /** Bytes, or alternatives, at a fixed position; text formats have none. */
  readonly signature?: { readonly at: number; readonly bytes: string | readonly string[] }
  /** For a ZIP archive, an entry that every such file has. */
  readonly entry?: string
}
export type OldFormat = 'doc' | 'ppt' | 'xls'
export type PackedFormat = 'docx' | 'epub' | 'odt' | 'pptx' | 'xlsx'

const COPY = { show: 'copy', search: 'text' } as const
const PACKED = { ...COPY, signature: { at: 0, bytes: 'PK\x03\x04' } } as const
const PAGES = { type: 'pdf', read: 'pdf', show: 'pages', search: 'text' } as const
const EPUB = { ...PACKED, entry: 'META-INF/container.xml' } as const
const SLIDES = { ...COPY, type: 'presentation' } as const
const SHEETS = { ...COPY, type: 'spreadsheet' } as const
const RTF = { ...COPY, signature: { at: 0, bytes: '{\\rtf' } } as const
const TEXT = { read: 'text', show: 'text', search: 'text' } as const
const KEPT = { read: 'none', search: 'name', name: 'unknown' } as const
const VIDEO = { type: 'video', show: 'player', ...KEPT } as const
const AUDIO = { type: 'audio', show: 'player', ...KEPT } as const
const imageAt = (at: number, ...bytes: string[]) =>
  ({ type: 'image', read: 'image', show: 'picture', search: 'recognized text', signature: { at, bytes } }) as const

function officeKind(ending: 'docx' | 'pptx' | 'xlsx', type: FileType, content: string, entry: string): FileKind {
  const mediaType = `application/vnd.openxmlformats-officedocument.${content}`
  return { ...PACKED, endings: [ending], mediaType, name: ending, type, read: ending, entry }
}
function openKind(ending: string, type: FileType, content: string, name: KindCode): FileKind {
  const mediaType = `application/vnd.oasis.opendocument.${content}`
  return { ...PACKED, endings: [ending], mediaType, name, type, read: 'odt', entry: 'content.xml' }
}

const HEIC = imageAt(4, 'ftypheic', 'ftypheix', 'ftyphevc', 'ftypmif1', 'ftypmsf1')

const DOWNLOAD = { type: 'other', show: 'download', ...KEPT } as const

/** Any other file. Its bytes decide whether it is read as one of the known kinds or as text. */
export const OTHER_KIND: FileKind = { ...DOWNLOAD, endings: ['bin'], mediaType: 'application/octet-stream' }

/** The file types that a library can read or show; others are stored as well. The app, the API and ingestion use this
 *  table; tests compare it with the bucket `documents`, the type filter in SQL and docs/carrel.md. */
export const FILE_KINDS: readonly FileKind[] = [
  { ...PAGES, endings: ['pdf'], mediaType: 'application/pdf', name: 'pdf', signature: { at: 0, bytes: '%PDF-' } },
  officeKind('docx', 'word', 'wordprocessingml.document', 'word/document.xml'),
  officeKind('pptx', 'presentation', 'presentationml.presentation', 'ppt/presentation.xml'),
  officeKind('xlsx', 'spreadsheet', 'spreadsheetml.sheet', 'xl/workbook.xml'),
  { ...EPUB, endings: ['epub'], mediaType: 'application/epub+zip', name: 'epub', type: 'book', read: 'epub' },
  openKind('odt', 'document', 'text', 'odt'),
  openKind('odp', 'presentation', 'presentation', 'pptx'),
  openKind('ods', 'spreadsheet', 'spreadsheet', 'xlsx'),
  { ...COPY, endings: ['doc', 'dot'], mediaType: 'application/msword', name: 'docx', type: 'word', read: 'doc' },
  { ...SLIDES, endings: ['ppt', 'pps'], mediaType: 'application/vnd.ms-powerpoint', name: 'pptx', read: 'ppt' },
  { ...SHEETS, endings: ['xls', 'xlt'], mediaType: 'application/vnd.ms-excel', name: 'xlsx', read: 'xls' },
  { ...RTF, endings: ['rtf'], mediaType: 'application/rtf', name: 'rtf', type: 'document', read: 'rtf' },
  { endings: ['eml'], mediaType: 'message/rfc822', name: 'eml', type: 'mail', read: 'email', ...COPY },
  { endings: ['mht', 'mhtml'], mediaType: 'multipart/related', name: 'mht', type: 'web', read: 'mhtml', ...COPY },
  { endings: ['md', 'markdown'], mediaType: 'text/markdown', name: 'text', type: 'markdown', ...TEXT },
  { endings: ['html', 'htm'], mediaType: 'text/html', name: 'text', type: 'web', ...TEXT },
  { endings: ['txt', 'text'], mediaType: 'text/plain', name: 'text', type: 'text', ...TEXT },
  { endings: ['csv'], mediaType: 'text/csv', name: 'text', type: 'table', ...TEXT },
  { endings: ['png'], mediaType: 'image/png', name: 'png', ...imageAt(0, '\x89PNG\r\n\x1a\n') },
  { endings: ['jpg', 'jpeg'], mediaType: 'image/jpeg', name: 'jpg', ...imageAt(0, '\xff\xd8\xff') },
  { endings: ['webp'], mediaType: 'image/webp', name: 'webp', ...imageAt(8, 'WEBP') },
  { endings: ['gif'], mediaType: 'image/gif', name: 'gif', ...imageAt(0, 'GIF8') },
  { endings: ['avif'], mediaType: 'image/avif', name: 'avif', ...imageAt(4, 'ftypavif') },
  // Decoded by libraries where the browser can't show them: src/lib/pictures.ts.
  { endings: ['tiff', 'tif'], mediaType: 'image/tiff', name: 'tiff', ...imageAt(0, 'II*\0', 'MM\0*') },
  { ...HEIC, endings: ['heic', 'heif'], mediaType: 'image/heic', name: 'heic' },
  { endings: ['mp4', 'm4v', 'mov'], mediaType: 'video/mp4', ...VIDEO },
  { endings: ['webm'], mediaType: 'video/webm', ...VIDEO },
  { endings: ['mp3'], mediaType: 'audio/mpeg', ...AUDIO },
  { endings: ['m4a'], mediaType: 'audio/mp4', ...AUDIO },
  { endings: ['ogg', 'oga', 'opus'], mediaType: 'audio/ogg', ...AUDIO },
  { endings: ['wav'], mediaType: 'audio/wav', ...AUDIO },
  { endings: ['flac'], mediaType: 'audio/flac', ...AUDIO },
  OTHER_KIND,
  // Source code of drawings isn't readable text; an SVG may contain scripts, so browsers must not render it.
  { ...OTHER_KIND, endings: ['svg', 'eps', 'ps'] },
]

/** Returns the extension of a file name in lower case; empty if it has none. */
export const endingOf = (name: string): string => /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''

export const kindOfName = (name: string): FileKind => kindOfEnding(endingOf(name))

const kindOfEnding = (ending: string): FileKind =>
  FILE_KINDS.find(({ endings }) => endings.includes(ending)) ?? OTHER_KIND

/** Returns the media type for a file extension, with a generic fallback. */
export const mediaTypeOf = (ending: string): string => kindOfEnding(ending).mediaType

/** Returns a file name without its extension, if that is a known one; in `main.py` it belongs to the name. */
export const stemOf = (name: string): string =>
  kindOfName(name) === OTHER_KIND ? name : name.replace(/(?<=.)\.[^.]*$/, '').trim() || name

/** @param mediaType May have parameters, as in `text/html; charset=utf-8`. */
export function kindOfMediaType(mediaType: string | null): FileKind | undefined {
  const type = mediaType?.split(';')[0]?.trim().toLowerCase()
  return FILE_KINDS.find((kind) => kind.mediaType === type)
}

export const hasSignature = (file: Uint8Array, { at, bytes }: NonNullable<FileKind['signature']>): boolean =>
  [bytes]
    .flat()
    .some((one) => Array.from(one).every((character, index) => file[at + index] === character.charCodeAt(0)))

/** Whether a file is a message in Outlook's own format, `winmail.dat`. */
export const isTnef = (file: Uint8Array): boolean => hasSignature(file, { at: 0, bytes: '\x78\x9f\x3e\x22' })
