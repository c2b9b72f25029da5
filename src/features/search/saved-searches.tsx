import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Bookmark, BookmarkPlus, X } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { NameDialog } from '../../components/name-dialog.tsx'
import { t } from '../../lib/i18n.ts'
import { say, sayFailure } from '../../lib/toast.ts'
import type { Filters } from './filters.ts'
import { forgetSearch, saveSearch } from './mutations.ts'
import { type SavedSearch, savedSearchesQuery } from './queries.ts'

type SavedSearchesProps = { library: string; words: string; filters: Filters }

/** The searches this person keeps, and a way to keep the one that is open. */
export function SavedSearches({ library, words, filters }: SavedSearchesProps) {
  const queryClient = useQueryClient()
  const { data: saved = [] } = useQuery(savedSearchesQuery(library))
  const [naming, setNaming] = useState(false)
  const options = {
    onError: sayFailure,
    onSettled: () => queryClient.invalidateQueries({ queryKey: savedSearchesQuery(library).queryKey }),
  }
  const keeping = useMutation({ ...saveSearch, ...options })
  const forgetting = useMutation({ ...forgetSearch, ...options })
  const forget = ({ id, name, query, filters: kept }: SavedSearch) =>
    forgetting.mutate(id, {
      onSuccess: () =>
        say({
          title: t('“{name}” is no longer kept', { name }),
          action: { label: t('Undo'), onClick: () => keeping.mutate({ library, name, query, filters: kept }) },
        }),
    })
  const isKept = saved.some((one) => one.query === words && sameFilters(one.filters, filters))
  if (saved.length === 0 && words === '') return null
  return (
    <div className="-ml-3 flex flex-wrap items-center gap-1.5">
      <ul aria-label={t('Saved searches')} className="contents">
        {saved.map((one) => (
          <li key={one.id} className="flex items-center rounded-full border border-line bg-surface pl-1 text-sm">
            <Link
              to="/l/$library/search"
              params={{ library }}
              search={{ q: one.query, ...one.filters }}
              activeOptions={{ exact: true }}
              className="flex min-h-8 items-center gap-1.5 rounded-full px-2 hover:text-accent-strong data-[status=active]:text-accent-strong"
            >
              <Bookmark aria-hidden className="size-3.5" />
              {one.name}
            </Link>
            <Button
              look="quiet"
              size="small-icon"
              aria-label={t('Forget {name}', { name: one.name })}
              onClick={() => forget(one)}
            >
              <X aria-hidden />
            </Button>
          </li>
        ))}
      </ul>
      {words !== '' && !isKept ? (
        <Button size="small" look="quiet" onClick={() => setNaming(true)}>
          <BookmarkPlus aria-hidden />
          {t('Keep this search')}
        </Button>
      ) : null}
      {naming ? (
        <NameDialog
          title={t('Keep this search')}
          label={t('Name')}
          initial={words.slice(0, LONGEST_NAME)}
          longest={LONGEST_NAME}
          action={t('Keep')}
          onName={(name) => keeping.mutate({ library, name, query: words, filters })}
          onClose={() => setNaming(false)}
        />
      ) : null}
    </div>
  )
}

const LONGEST_NAME = 120

const sameFilters = (a: Filters, b: Filters): boolean =>
  a.collection === b.collection && a.tag === b.tag && a.kind === b.kind && a.person === b.person && a.since === b.since
