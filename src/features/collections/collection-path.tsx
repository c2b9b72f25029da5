import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { t } from '../../lib/i18n/i18n.ts'
import type { Collection } from './tree.ts'

/** Ancestors of the open collection, outermost first; empty at the top level. */
export function CollectionPath({ library, path }: { library: string; path: readonly Collection[] }) {
  if (path.length === 0) return null
  return (
    <nav aria-label={t('Parent collections')}>
      <ol className="flex flex-wrap items-center gap-1 text-ink-faint text-sm">
        {path.map(({ id, name }) => (
          <li key={id} className="flex items-center gap-1">
            <Link
              dir="auto"
              to="/l/$library"
              params={{ library }}
              search={{ collection: id }}
              className="max-w-48 truncate rounded hover:text-ink"
            >
              {name}
            </Link>
            <ChevronRight aria-hidden className="size-3.5 rtl:-scale-x-100" />
          </li>
        ))}
      </ol>
    </nav>
  )
}
