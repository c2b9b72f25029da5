import type { FileType } from '../../supabase/functions/_shared/file-kinds.ts'
import { msg } from '../lib/i18n/i18n.ts'

export type { FileType }

/** What each type of file is called, in the order of menus. Apart from the kinds of files (./file-kinds.ts), because addresses name
 *  types, and the first page reads addresses. */
export const FILE_TYPES = {
  pdf: msg('PDF'),
  word: msg('Word document'),
  document: msg('Text document'),
  presentation: msg('Presentation'),
  spreadsheet: msg('Spreadsheet'),
  book: msg('Book'),
  mail: msg('Mail'),
  web: msg('Web page'),
  markdown: msg('Markdown'),
  text: msg('Text'),
  table: msg('Table'),
  image: msg('Image'),
  video: msg('Video'),
  audio: msg('Audio'),
  other: msg('Other file'),
} as const satisfies Record<FileType, string>
