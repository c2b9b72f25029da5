import { kindOfMediaType } from '../../../domain/file-kinds.ts'

export function isDrawable(mimeType: string | null): boolean {
  const shown = kindOfMediaType(mimeType)?.show
  return shown === 'pages' || shown === 'picture'
}
