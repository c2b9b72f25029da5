import { kindOfMediaType } from '../../../domain/file-kinds.ts'

export function isDrawable(mimeType: string | null): boolean {
  const view = kindOfMediaType(mimeType)?.show
  return view === 'pages' || view === 'picture'
}
