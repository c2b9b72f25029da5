import { Clock } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { forgetSearches, useRecentSearches } from './recent-searches.ts'

type RecentSearchListProps = { person: string; place: string; onChoose: (query: string) => void }

export function RecentSearchList({ person, place, onChoose }: RecentSearchListProps) {
  const recent = useRecentSearches(person, place)
  if (recent.length === 0) return null
  return (
    <section aria-label={t('Recent searches')} className="mb-2">
      <div className="flex items-center justify-between gap-4">
        <h2 className="eyebrow">{t('Recent searches')}</h2>
        <Button size="small" look="quiet" onClick={() => forgetSearches(person, place)}>
          {t('Clear the list')}
        </Button>
      </div>
      <ul className="grid">
        {recent.map((query) => (
          <li key={query}>
            <button
              type="button"
              onClick={() => onChoose(query)}
              className="-mx-2 flex min-h-9 w-full items-center gap-2.5 rounded-md px-2 text-start text-sm hover:bg-hover"
            >
              <Clock aria-hidden className="size-4 shrink-0 text-ink-faint" />
              <span className="truncate">{query}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
