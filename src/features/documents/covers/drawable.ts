import { kindOfMediaType } from '../../../domain/file-kinds.ts'

/** Whether a browser can draw a cover of this type. */
export function isDrawable(mimeType: string | null): boolean {
  const shown = kindOfMediaType(mimeType)?.show
  return shown === 'pages' || shown === 'picture'
}
