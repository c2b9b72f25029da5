import { Link } from '@tanstack/react-router'
import { Bookmark, BookmarkPlus, X } from 'lucide-react'
import { useState } from 'react'
import { MAX_LENGTH } from '../../../supabase/functions/_shared/facts.ts'
import { Button, IconButton } from '../../components/button.tsx'
import { NameDialog } from '../../components/name-dialog.tsx'
import { isSameFilter, type SearchFilter } from '../../domain/document-filter.ts'
import { useAction } from '../../domain/failure-toast.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { showToast } from '../../lib/ui/toast.ts'
import { deleteSavedSearch, saveSearch } from './mutations.ts'
import { NewsBadge } from './news-badge.tsx'
import type { SavedSearch } from './queries.ts'
import { useLookAtSearch, useSearchNews } from './use-search-news.ts'

type SavedSearchesProps = {
  library: string
  words: string
  filters: SearchFilter
  isShown: boolean
}

export function SavedSearches({ library, words, filters, isShown }: SavedSearchesProps) {
  const { saved, news } = useSearchNews(library)
  const [naming, setNaming] = useState(false)
  const saving = useAction(saveSearch)
  const deletion = useAction(deleteSavedSearch)
  const remove = ({ id, name, query, filters: savedFilters }: SavedSearch) =>
    deletion.mutate(
      { library, search: id },
      {
        onSuccess: () =>
          showToast({
            title: t('The saved search “{name}” is deleted', { name }),
            action: { label: t('Undo'), onClick: () => saving.mutate({ library, name, query, filters: savedFilters }) },
          }),
      },
    )
  const open = saved.find((one) => one.query === words && isSameFilter(one.filters, filters))
  useLookAtSearch(library, isShown ? open?.id : undefined, news.get(open?.id ?? '') ?? 0)
  if (saved.length === 0 && words === '') return null
  return (
    <div className="flex flex-wrap items-center gap-1.5 sm:-ms-1">
      <ul aria-label={t('Saved searches')} className="contents">
        {saved.map((one) => (
          <li key={one.id} className="flex items-center rounded-full border border-line bg-surface ps-1 text-sm">
            <Link
              to="/l/$library/search"
              params={{ library }}
              search={{ q: one.query, ...one.filters }}
              activeOptions={{ exact: true }}
              className="flex min-h-8 items-center gap-1.5 rounded-full px-2 hover:text-accent-strong data-[status=active]:text-accent-strong"
            >
              <Bookmark aria-hidden className="size-3.5" />
              <bdi>{one.name}</bdi>
              <NewsBadge passages={news.get(one.id) ?? 0} />
            </Link>
            <IconButton icon={X} label={t('Delete {name}', { name: one.name })} onClick={() => remove(one)} />
          </li>
        ))}
      </ul>
      {words !== '' && !open ? (
        <Button icon={BookmarkPlus} size="small" look="quiet" onClick={() => setNaming(true)}>
          {t('Save this search')}
        </Button>
      ) : null}
      {naming ? (
        <NameDialog
          title={t('Save this search')}
          label={t('Name')}
          initial={words.slice(0, MAX_LENGTH['saved_searches.name'])}
          column="saved_searches.name"
          action={t('Save')}
          onName={(name) => saving.mutate({ library, name, query: words, filters })}
          onClose={() => setNaming(false)}
        />
      ) : null}
    </div>
  )
}
