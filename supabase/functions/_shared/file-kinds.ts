import type { KindCode } from './errors.ts'

/** What people filter files by. The app has a name and a picture for each (src/domain/file-types.ts). */
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
  /** Without their dots. A file without a name gets the first. */
  readonly endings: readonly [string, ...string[]]
  readonly mediaType: string
  /** As sentences call such a file. */
  readonly name: KindCode
  readonly type: FileType
  /** What extracts its text; `none` for a file that is kept as it is. */
  readonly read: 'pdf' | PackedFormat | OldFormat | 'rtf' | 'email' | 'mhtml' | 'image' | 'text' | 'none'
  /** What the reader shows: the file itself in the view of this name, the readable copy that was made when it was read, or nothing
   *  but its name and a way to download it. */
  readonly show: 'pages' | 'picture' | 'text' | 'copy' | 'player' | 'download'
  /** What search finds: its text, for pictures the text that was recognized in them, or its name. */
  readonly search: 'text' | 'recognized text' | 'name'
  /** Bytes that every such file has at a position, or one of several; text has none. */
  readonly signature?: { readonly at: number; readonly bytes: string | readonly string[] }
  /** For a ZIP archive, an entry that every such file has. */
  readonly entry?: string
}
/** Of Office before 2007. */
export type OldFormat = 'doc' | 'ppt' | 'xls'
export type PackedFormat = 'docx' | 'epub' | 'odt' | 'pptx' | 'xlsx'

const PACKED = { show: 'copy', search: 'text', signature: { at: 0, bytes: 'PK\x03\x04' } } as const
const OLD = { show: 'copy', search: 'text' } as const
const TEXT = { read: 'text', show: 'text', search: 'text' } as const
const KEPT = { read: 'none', search: 'name', name: 'unknown' } as const
const VIDEO = { type: 'video', show: 'player', ...KEPT } as const
const AUDIO = { type: 'audio', show: 'player', ...KEPT } as const
const IMAGE = { type: 'image', read: 'image', show: 'picture', search: 'recognized text' } as const

/** A file that no other kind names. Its bytes decide whether it is read: as one of the other kinds, or as text. */
export const OTHER_KIND: FileKind = {
  endings: ['bin'],
  mediaType: 'application/octet-stream',
  type: 'other',
  show: 'download',
  ...KEPT,
}

/** The files that a library reads or shows; it keeps any other as well. The app, the API, ingestion and its messages read this table;
 *  the bucket `documents`, the filter by type in SQL and docs/carrel.md are compared with it by tests. */
export const FILE_KINDS: readonly FileKind[] = [
  {
    endings: ['pdf'],
    mediaType: 'application/pdf',
    name: 'pdf',
    type: 'pdf',
    read: 'pdf',
    show: 'pages',
    search: 'text',
    signature: { at: 0, bytes: '%PDF-' },
  },
  {
    endings: ['docx'],
    mediaType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    name: 'docx',
    type: 'word',
    read: 'docx',
    entry: 'word/document.xml',
    ...PACKED,
  },
  {
    endings: ['pptx'],
    mediaType: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    name: 'pptx',
    type: 'presentation',
    read: 'pptx',
    entry: 'ppt/presentation.xml',
    ...PACKED,
  },
  {
    endings: ['xlsx'],
    mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    name: 'xlsx',
    type: 'spreadsheet',
    read: 'xlsx',
    entry: 'xl/workbook.xml',
    ...PACKED,
  },
  {
    endings: ['epub'],
    mediaType: 'application/epub+zip',
    name: 'epub',
    type: 'book',
    read: 'epub',
    entry: 'META-INF/container.xml',
    ...PACKED,
  },
  {
    endings: ['odt'],
    mediaType: 'application/vnd.oasis.opendocument.text',
    name: 'odt',
    type: 'document',
    read: 'odt',
    entry: 'content.xml',
    ...PACKED,
  },
  {
    endings: ['odp'],
    mediaType: 'application/vnd.oasis.opendocument.presentation',
    name: 'pptx',
    type: 'presentation',
    read: 'odt',
    entry: 'content.xml',
    ...PACKED,
  },
  {
    endings: ['ods'],
    mediaType: 'application/vnd.oasis.opendocument.spreadsheet',
    name: 'xlsx',
    type: 'spreadsheet',
    read: 'odt',
    entry: 'content.xml',
    ...PACKED,
  },
  { endings: ['doc', 'dot'], mediaType: 'application/msword', name: 'docx', type: 'word', read: 'doc', ...OLD },
  {
    endings: ['ppt', 'pps'],
    mediaType: 'application/vnd.ms-powerpoint',
    name: 'pptx',
    type: 'presentation',
    read: 'ppt',
    ...OLD,
  },
  {
    endings: ['xls', 'xlt'],
    mediaType: 'application/vnd.ms-excel',
    name: 'xlsx',
    type: 'spreadsheet',
    read: 'xls',
    ...OLD,
  },
  {
    endings: ['rtf'],
    mediaType: 'application/rtf',
    name: 'rtf',
    type: 'document',
    read: 'rtf',
    show: 'copy',
    search: 'text',
    signature: { at: 0, bytes: '{\\rtf' },
  },
  {
    endings: ['eml'],
    mediaType: 'message/rfc822',
    name: 'eml',
    type: 'mail',
    read: 'email',
    show: 'copy',
    search: 'text',
  },
  {
    endings: ['mht', 'mhtml'],
    mediaType: 'multipart/related',
    name: 'mht',
    type: 'web',
    read: 'mhtml',
    show: 'copy',
    search: 'text',
  },
  { endings: ['md', 'markdown'], mediaType: 'text/markdown', name: 'text', type: 'markdown', ...TEXT },
  { endings: ['html', 'htm'], mediaType: 'text/html', name: 'text', type: 'web', ...TEXT },
  { endings: ['txt', 'text'], mediaType: 'text/plain', name: 'text', type: 'text', ...TEXT },
  { endings: ['csv'], mediaType: 'text/csv', name: 'text', type: 'table', ...TEXT },
  {
    endings: ['png'],
    mediaType: 'image/png',
    name: 'png',
    signature: { at: 0, bytes: '\x89PNG\r\n\x1a\n' },
    ...IMAGE,
  },
  {
    endings: ['jpg', 'jpeg'],
    mediaType: 'image/jpeg',
    name: 'jpg',
    signature: { at: 0, bytes: '\xff\xd8\xff' },
    ...IMAGE,
  },
  { endings: ['webp'], mediaType: 'image/webp', name: 'webp', signature: { at: 8, bytes: 'WEBP' }, ...IMAGE },
  { endings: ['gif'], mediaType: 'image/gif', name: 'gif', signature: { at: 0, bytes: 'GIF8' }, ...IMAGE },
  {
    endings: ['avif'],
    mediaType: 'image/avif',
    name: 'avif',
    signature: { at: 4, bytes: 'ftypavif' },
    ...IMAGE,
  },
  // What follows is decoded by libraries where the browser shows none: src/lib/pictures.ts.
  {
    endings: ['tiff', 'tif'],
    mediaType: 'image/tiff',
    name: 'tiff',
    signature: { at: 0, bytes: ['II*\0', 'MM\0*'] },
    ...IMAGE,
  },
  {
    endings: ['heic', 'heif'],
    mediaType: 'image/heic',
    name: 'heic',
    signature: { at: 4, bytes: ['ftypheic', 'ftypheix', 'ftyphevc', 'ftypmif1', 'ftypmsf1'] },
    ...IMAGE,
  },
  { endings: ['mp4', 'm4v', 'mov'], mediaType: 'video/mp4', ...VIDEO },
  { endings: ['webm'], mediaType: 'video/webm', ...VIDEO },
  { endings: ['mp3'], mediaType: 'audio/mpeg', ...AUDIO },
  { endings: ['m4a'], mediaType: 'audio/mp4', ...AUDIO },
  { endings: ['ogg', 'oga', 'opus'], mediaType: 'audio/ogg', ...AUDIO },
  { endings: ['wav'], mediaType: 'audio/wav', ...AUDIO },
  { endings: ['flac'], mediaType: 'audio/flac', ...AUDIO },
  OTHER_KIND,
  // Drawings that are written as text, which is not for people; an SVG may hold scripts, so that no browser is to take it for one.
  { ...OTHER_KIND, endings: ['svg', 'eps', 'ps'] },
]

/** The end of a file's name after its last dot; empty when it has none. */
export const endingOf = (name: string): string => /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''

/** What kind of file a name promises. */
export const kindOfName = (name: string): FileKind => kindOfEnding(endingOf(name))

const kindOfEnding = (ending: string): FileKind =>
  FILE_KINDS.find(({ endings }) => endings.includes(ending)) ?? OTHER_KIND

/** The media type of files with an ending; of any other that of bytes that nobody knows. */
export const mediaTypeOf = (ending: string): string => kindOfEnding(ending).mediaType

/** A file's name without its ending, where that is one of a kind; any other belongs to the name, as in `main.py`. */
export const stemOf = (name: string): string =>
  kindOfName(name) === OTHER_KIND ? name : name.replace(/(?<=.)\.[^.]*$/, '').trim() || name

/** @param mediaType May have parameters, as in `text/html; charset=utf-8`. */
export function kindOfMediaType(mediaType: string | null): FileKind | undefined {
  const type = mediaType?.split(';')[0]?.trim().toLowerCase()
  return FILE_KINDS.find((kind) => kind.mediaType === type)
}

/** Whether a file has the bytes of a signature. */
export const hasSignature = (file: Uint8Array, { at, bytes }: NonNullable<FileKind['signature']>): boolean =>
  [bytes]
    .flat()
    .some((one) => Array.from(one).every((character, index) => file[at + index] === character.charCodeAt(0)))
