import {
  BookOpen,
  FileCode2,
  FileSpreadsheet,
  FileText,
  Image,
  Link2,
  type LucideIcon,
  NotebookPen,
} from 'lucide-react'

type Described = { kind: string; mime_type: string | null }

const BY_TYPE: readonly (readonly [pattern: RegExp, label: string, icon: LucideIcon])[] = [
  [/^application\/pdf$/, 'PDF', FileText],
  [/^text\/markdown/, 'Markdown', FileCode2],
  [/^text\/html/, 'Web page', FileCode2],
  [/wordprocessingml/, 'Word document', FileText],
  [/^application\/epub/, 'Book', BookOpen],
  [/^text\/csv/, 'Table', FileSpreadsheet],
  [/^text\//, 'Text', FileText],
  [/^image\//, 'Image', Image],
]

/** What a person would call it, and its sign. */
export function describeKind({ kind, mime_type }: Described): { label: string; icon: LucideIcon } {
  if (kind === 'note') return { label: 'Note', icon: NotebookPen }
  if (kind === 'link') return { label: 'Link', icon: Link2 }
  const known = BY_TYPE.find(([pattern]) => pattern.test(mime_type ?? ''))
  return known ? { label: known[1], icon: known[2] } : { label: 'File', icon: FileText }
}
