import { Badge } from '../../components/badge.tsx'
import type { Card } from './queries.ts'

export function TagList({ tags }: Pick<Card, 'tags'>) {
  if (tags.length === 0) return null
  return (
    <ul aria-label="Tags" className="flex flex-wrap gap-1">
      {tags.map(({ tag }) => (
        <li key={tag.id}>
          <Badge>{tag.name}</Badge>
        </li>
      ))}
    </ul>
  )
}
