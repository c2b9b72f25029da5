import { formatBytes } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'

/** The bucket's own limits. */
const LARGEST_PICTURE = 5_242_880
export const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif']

export function pictureFault({ type, size }: Pick<File, 'type' | 'size'>): string | undefined {
  if (!PICTURE_TYPES.includes(type)) return t('Choose a picture: PNG, JPEG, WebP, GIF or AVIF.')
  if (size === 0) return t('This file is empty. Choose another one.')
  if (size > LARGEST_PICTURE) {
    return t('A picture may have {limit}, this one has {size}. Choose a smaller one.', {
      limit: formatBytes(LARGEST_PICTURE),
      size: formatBytes(size),
    })
  }
}
