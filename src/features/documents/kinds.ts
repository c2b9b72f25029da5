import {
  AudioLines,
  BookOpen,
  File,
  FileCode2,
  FileSpreadsheet,
  FileText,
  Image,
  Link2,
  type LucideIcon,
  Mail,
  NotebookPen,
  Presentation,
  Video,
} from 'lucide-react'
import type { FileType } from '../../../supabase/functions/_shared/file-kinds.ts'
import { FILE_TYPES } from '../../domain/document-filter.ts'
import { kindOfMediaType } from '../../domain/file-kinds.ts'
import { t } from '../../lib/i18n/i18n.ts'

type Described = { kind: string; mime_type: string | null }

const ICONS: Record<FileType, LucideIcon> = {
  pdf: FileText,
  word: FileText,
  document: FileText,
  presentation: Presentation,
  spreadsheet: FileSpreadsheet,
  book: BookOpen,
  mail: Mail,
  web: FileCode2,
  markdown: FileCode2,
  text: FileText,
  table: FileSpreadsheet,
  image: Image,
  video: Video,
  audio: AudioLines,
  other: File,
}

const NOTE_PAPER = 'bg-linear-to-b from-amber-soft/70 to-surface'
const LINK_PAPER = 'bg-linear-to-b from-accent-soft/70 to-surface'
const PAPER = 'bg-linear-to-b from-hover/60 to-surface'

export function describeKind({ kind, mime_type }: Described): { label: string; icon: LucideIcon; paper: string } {
  if (kind === 'note') return { label: t('Note'), icon: NotebookPen, paper: NOTE_PAPER }
  if (kind === 'link') return { label: t('Link'), icon: Link2, paper: LINK_PAPER }
  const type = kindOfMediaType(mime_type)?.type
  return { label: type ? t(FILE_TYPES[type]) : t('File'), icon: type ? ICONS[type] : FileText, paper: PAPER }
}
