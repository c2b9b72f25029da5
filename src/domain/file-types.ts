import type { FileType } from '../../supabase/functions/_shared/file-kinds.ts'
import { msg } from '../lib/i18n/i18n.ts'

export type { FileType }

/** Names of file types, in menu order. Not in ./file-kinds.ts, because the first page needs them to parse URLs. */
export const FILE_TYPES = {
  pdf: msg('PDF'),
  word: msg('Word document'),
  document: msg('Text document'),
  presentation: msg('Presentation'),
  spreadsheet: msg('Spreadsheet'),
  book: msg('Book'),
  mail: msg('Email'),
  web: msg('Web page'),
  markdown: msg('Markdown'),
  text: msg('Text'),
  table: msg('Table'),
  image: msg('Image'),
  video: msg('Video'),
  audio: msg('Audio'),
  other: msg('Other file'),
} as const satisfies Record<FileType, string>
export const FILE_TYPE_NAMES = Object.keys(FILE_TYPES) as [FileType, ...FileType[]]
