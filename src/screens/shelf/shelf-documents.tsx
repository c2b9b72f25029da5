import { useQuery, useSuspenseInfiniteQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useCallback, useEffect, useEffectEvent, useMemo, useState } from 'react'
import { Progress } from '../../components/progress.tsx'
import type { Person } from '../../domain/field-conditions.ts'
import type { Field } from '../../domain/fields.ts'
import { keys } from '../../domain/keys.ts'
import { MAX_ASKED_DOCUMENTS } from '../../features/ask/limits.ts'
import { CitationMenu } from '../../features/citation/citation-items.tsx'
import type { CollectionRow as Collection } from '../../features/collections/queries.ts'
import type { Card } from '../../features/documents/card.ts'
import { shelfQuery } from '../../features/documents/queries.ts'
import type { ShelfProps } from '../../features/documents/shelf/document-card.tsx'
import { DocumentGrid } from '../../features/documents/shelf/document-grid.tsx'
import { EmptyShelf } from '../../features/documents/shelf/empty-shelf.tsx'
import { SelectionBar, type SelectionBarProps } from '../../features/documents/shelf/selection-bar.tsx'
import type { ShelfSearch } from '../../features/documents/shelf/shelf-search.ts'
import { useSelection } from '../../features/documents/shelf/use-selection.ts'
import { isIndexing, useIndexingRefresh } from '../../features/documents/use-indexing-refresh.ts'
import { useFavorites, useToggleFavorite } from '../../features/favorites/use-favorites.ts'
import { positionsQuery } from '../../features/reader/queries.ts'
import { useBatchProgress } from '../../lib/batches.ts'
import { formatNumber } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { useShortcut } from '../../lib/ui/shortcut.ts'
import { showToast } from '../../lib/ui/toast.ts'
import type { AddDocuments } from './use-add-documents.tsx'
import { useArranging } from './use-arranging.tsx'
import type { FieldList } from './use-field-list.tsx'

const DocumentTable = lazy(() =>
  import('../../features/documents/shelf/document-table.tsx').then((it) => ({ default: it.DocumentTable })),
)
const DocumentBoard = lazy(() =>
  import('../../features/documents/board/document-board.tsx').then((it) => ({ default: it.DocumentBoard })),
)

const FirstSteps = lazy(() => import('./first-steps.tsx').then((it) => ({ default: it.FirstSteps })))

/** Milliseconds between refetches during indexing, because the channel reports each change. */
const REFRESH_PACE = 30_000

type ShelfDocumentsProps = {
  library: string
  search: ShelfSearch
  /** Whether the URL has filters; the collection's own order doesn't count. */
  isFiltered: boolean
  collection: Collection | undefined
  list: FieldList
  adding: AddDocuments
  group: Field | undefined
  people: readonly Person[]
  mayEditHere: boolean
  canEdit: boolean
  isOwner: boolean
  mayAsk: boolean
  onSort: ((sort: ShelfSearch['sort']) => void) | undefined
  onClear: () => void
  onFill: (documents: string[]) => void
}

export function ShelfDocuments(props: ShelfDocumentsProps) {
  const { library, search, isFiltered, collection, list, adding, group, people, mayEditHere, canEdit, mayAsk } = props
  const { isOwner, onSort, onClear, onFill } = props
  const { data, fetchNextPage, hasNextPage, isFetchingNextPage } = useSuspenseInfiniteQuery(shelfQuery(library, search))
  const { data: positions = [] } = useQuery(positionsQuery(library))
  const { favorites } = useFavorites()
  const toggleFavorite = useToggleFavorite()
  const arranging = useArranging(library, canEdit)
  const { withPending } = list
  const documents = useMemo(() => withPending(data.pages.flatMap((page) => page.documents)), [data.pages, withPending])
  useIndexingRefresh(library, documents.some(isIndexing), keys.documents(library), REFRESH_PACE)
  const selection = useSelection(documents.map(({ id }) => id))
  const selected = documents.filter(({ id }) => selection.has(id))
  const total = data.pages[0]?.total ?? documents.length
  const isAllLoaded = selected.length > 0 && selected.length === documents.length && hasNextPage
  const [isSelectingAll, setSelectingAll] = useState(false)
  // Fetches the rest of the shelf until the selection is cleared.
  const selectNext = useEffectEvent(() => {
    if (selected.length === 0) return setSelectingAll(false)
    selection.all()
    if (!hasNextPage) setSelectingAll(false)
    else if (!isFetchingNextPage) void fetchNextPage()
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: a page has come, or the selection has changed
  useEffect(() => {
    if (isSelectingAll) selectNext()
  }, [isSelectingAll, documents.length, isFetchingNextPage, selected.length === 0])
  const changing = useBatchProgress()
  const changingText = changing?.isImport
    ? t('Importing')
    : t('Changing {total} documents…', { total: formatNumber(changing?.total ?? 0) })
  const failed = selected.filter(({ state }) => state === 'failed')
  useShortcut('s', () => {
    const focused = globalThis.document.activeElement?.closest('article, tr')?.querySelector('[data-document]')
    const document = documents.find(({ id }) => id === focused?.getAttribute('data-document'))
    if (document) toggleFavorite({ library, document })
    else if (collection) toggleFavorite({ library, collection })
  })
  const more = useCallback(() => {
    if (!isFetchingNextPage) void fetchNextPage()
  }, [fetchNextPage, isFetchingNextPage])
  const shelf: ShelfProps = {
    library,
    documents,
    canEdit,
    selection,
    favorites: new Set(favorites.flatMap(({ document }) => document?.id ?? [])),
    positions: new Map(positions.map((position) => [position.document_id, position])),
    hasMore: hasNextPage,
    onMore: more,
    handlers: arranging.handlers,
  }
  const { columns, resize, fields } = list
  const table = (
    <DocumentTable
      key={search.collection}
      {...shelf}
      columns={columns}
      sort={search.sort}
      onSort={onSort}
      onResize={search.collection ? resize : undefined}
    />
  )
  const grid = <DocumentGrid {...shelf} isLarge={search.view === 'cards'} />
  const board = group ? (
    <DocumentBoard
      library={library}
      field={group}
      people={people}
      documents={documents}
      total={data.pages[0]?.total ?? null}
      hasMore={hasNextPage}
      onMore={more}
      onSet={mayEditHere ? (document, value) => list.setField([document], group, value) : undefined}
    />
  ) : null
  const shown = board ?? (search.view === 'list' ? table : grid)
  return (
    <>
      {documents.length > 0 ? (
        <div data-letters className="contents">
          <Suspense fallback={null}>{shown}</Suspense>
        </div>
      ) : (
        <EmptyShelf
          filtered={isFiltered}
          inCollection={search.collection !== undefined}
          canEdit={mayEditHere}
          onClear={onClear}
          onPick={adding.pick}
          onPickFolder={canEdit ? adding.pickFolder : undefined}
          onWrite={adding.write}
          more={
            <Suspense fallback={null}>
              <FirstSteps library={library} isOwner={isOwner} onImport={adding.import} />
            </Suspense>
          }
        />
      )}
      {isFetchingNextPage ? (
        <p role="status" className="py-8 text-center text-ink-faint text-sm">
          {t('Loading more…')}
        </p>
      ) : null}
      <ShelfSelection
        library={library}
        selected={selected}
        total={total}
        onSelectAll={isAllLoaded ? () => setSelectingAll(true) : undefined}
        isSelectingAll={isSelectingAll}
        mayAsk={mayAsk}
        onMove={() => arranging.move(selected)}
        onTag={() => arranging.tag(selected)}
        onFill={fields.length > 0 ? () => onFill(selected.map(({ id }) => id)) : undefined}
        onReadAgain={failed.length > 0 ? () => arranging.readAgain(failed) : undefined}
        onTrash={() => arranging.trash(selected)}
        onClear={selection.clear}
      />
      {changing ? (
        <div className="fixed inset-x-3 bottom-20 z-20 mx-auto grid w-72 max-w-full gap-2 rounded-lg border border-line bg-surface p-3 text-sm shadow-lift">
          <p className="tabular-nums">{changingText}</p>
          <Progress value={changing.done / changing.total} label={changingText} />
        </div>
      ) : null}
      {arranging.dialog}
    </>
  )
}

type ShelfSelectionProps = Omit<SelectionBarProps, 'count' | 'onAsk' | 'onCompare' | 'citing'> & {
  library: string
  selected: readonly Card[]
  mayAsk: boolean
}

function ShelfSelection({ library, selected, mayAsk, ...others }: ShelfSelectionProps) {
  const navigate = useNavigate()
  const ask = () => {
    if (selected.length > MAX_ASKED_DOCUMENTS)
      showToast({
        title: t('You can ask about up to {most} documents at once', { most: MAX_ASKED_DOCUMENTS }),
        failed: true,
      })
    else
      void navigate({
        to: '/l/$library/ask',
        params: { library },
        search: { documents: selected.map(({ id }) => id) },
      })
  }
  const compare = () => {
    const [a, b] = selected.toSorted((one, other) => one.created_at.localeCompare(other.created_at))
    void navigate({ to: '/l/$library/compare', params: { library }, search: { a: a?.id, b: b?.id } })
  }
  if (selected.length === 0) return null
  return (
    <SelectionBar
      count={selected.length}
      onAsk={mayAsk ? ask : undefined}
      onCompare={selected.length === 2 ? compare : undefined}
      citing={<CitationMenu documents={selected.map(({ id }) => id)} />}
      {...others}
    />
  )
}
