import {
  BookOpen,
  FileCode2,
  FileSpreadsheet,
  FileText,
  Image,
  Link2,
  type LucideIcon,
  Mail,
  NotebookPen,
  Presentation,
} from 'lucide-react'
import { msg, t } from '../../lib/i18n/i18n.ts'

type Described = { kind: string; mime_type: string | null }

const BY_TYPE: readonly (readonly [pattern: RegExp, label: string, icon: LucideIcon])[] = [
  [/^application\/pdf$/, msg('PDF'), FileText],
  [/^text\/markdown/, msg('Markdown'), FileCode2],
  [/^text\/html/, msg('Web page'), FileCode2],
  [/wordprocessingml/, msg('Word document'), FileText],
  [/opendocument\.text|^application\/rtf/, msg('Text document'), FileText],
  [/presentationml/, msg('Presentation'), Presentation],
  [/spreadsheetml/, msg('Spreadsheet'), FileSpreadsheet],
  [/^message\/rfc822/, msg('Mail'), Mail],
  [/^multipart\/related/, msg('Web page'), FileCode2],
  [/^application\/epub/, msg('Book'), BookOpen],
  [/^text\/csv/, msg('Table'), FileSpreadsheet],
  [/^text\//, msg('Text'), FileText],
  [/^image\//, msg('Image'), Image],
]

/** What a card without a cover is made of. */
const NOTE_PAPER = 'bg-linear-to-b from-amber-soft/70 to-surface'
const LINK_PAPER = 'bg-linear-to-b from-accent-soft/70 to-surface'
const PAPER = 'bg-linear-to-b from-hover/60 to-surface'

/** The name of a document's kind, its icon, and the colour of its paper. */
export function describeKind({ kind, mime_type }: Described): { label: string; icon: LucideIcon; paper: string } {
  if (kind === 'note') return { label: t('Note'), icon: NotebookPen, paper: NOTE_PAPER }
  if (kind === 'link') return { label: t('Link'), icon: Link2, paper: LINK_PAPER }
  const known = BY_TYPE.find(([pattern]) => pattern.test(mime_type ?? ''))
  return { label: known ? t(known[1]) : t('File'), icon: known?.[2] ?? FileText, paper: PAPER }
}
