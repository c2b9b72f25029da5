import { Badge } from '../../../components/badge.tsx'
import { t } from '../../../lib/i18n/i18n.ts'
import type { Card } from '../card.ts'

export function TagList({ tags }: Pick<Card, 'tags'>) {
  if (tags.length === 0) return null
  return (
    <ul aria-label={t('Tags')} className="flex flex-wrap gap-1">
      {tags.map(({ tag }) => (
        <li key={tag.id}>
          <Badge dir="auto">{tag.name}</Badge>
        </li>
      ))}
    </ul>
  )
}
