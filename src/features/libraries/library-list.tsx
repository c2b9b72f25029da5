import { Link } from '@tanstack/react-router'
import { Badge } from '../../components/badge.tsx'
import { countDocuments } from '../../domain/counts.ts'
import { type Role, roleLabel } from '../../domain/roles.ts'
import { formatRelativeTime } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'

type Library = {
  id: string
  name: string
  description: string
  role: Role
  documents: number
  people: number
  changed_at: string | null
}

export function LibraryList({ libraries }: { libraries: readonly Library[] }) {
  return (
    <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(19rem,100%),1fr))] gap-5">
      {libraries.map((library) => (
        <li key={library.id} className="relative">
          <article className="group flex h-full min-h-44 flex-col rounded-lg border border-line bg-surface p-5 ps-7 transition-[border-color,box-shadow] focus-within:border-edge hover:border-edge hover:shadow-lift">
            <span aria-hidden className="absolute inset-y-3 start-3 w-1 rounded-full bg-accent/80" />
            <h2 className="font-semibold font-serif text-xl leading-snug">
              <Link
                dir="auto"
                to="/l/$library"
                params={{ library: library.id }}
                className="after:absolute after:inset-0 after:rounded-lg"
              >
                {library.name}
              </Link>
            </h2>
            {library.description ? (
              <p dir="auto" className="mt-1.5 line-clamp-3 text-ink-soft text-sm leading-relaxed">
                {library.description}
              </p>
            ) : null}
            <p className="mt-auto flex items-center justify-between gap-3 pt-5 text-ink-faint text-xs">
              <span>
                {[
                  countDocuments(library.documents),
                  library.role === 'guest'
                    ? ''
                    : t('{count, plural, one {# person} other {# people}}', { count: library.people }),
                  library.changed_at ? t('changed {when}', { when: formatRelativeTime(library.changed_at) }) : '',
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
              <Badge tone={library.role === 'owner' ? 'accent' : 'neutral'}>{roleLabel(library.role)}</Badge>
            </p>
          </article>
        </li>
      ))}
    </ul>
  )
}
