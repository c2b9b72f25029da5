import { useQuery } from '@tanstack/react-query'
import { BadgeCheck, Columns2, Settings2, SquareKanban } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Menu, MenuChoice } from '../../components/menu.tsx'
import { STATES } from '../../domain/document-filter.ts'
import type { FieldFilter } from '../../domain/field-filter.ts'
import { type Field, fieldOrders } from '../../domain/fields.ts'
import { approvalQuery } from '../../features/approval/queries.ts'
import { CollectionPath } from '../../features/collections/collection-path.tsx'
import type { CollectionRow as Collection } from '../../features/collections/queries.ts'
import { pathTo } from '../../features/collections/tree.ts'
import { canGroup } from '../../features/documents/board/board-columns.ts'
import type { ShelfSearch } from '../../features/documents/shelf/shelf-search.ts'
import { ShelfToolbar } from '../../features/documents/shelf/shelf-toolbar.tsx'
import { facetsQuery } from '../../features/documents/title-queries.ts'
import { StarButton } from '../../features/favorites/star-button.tsx'
import { useFavorites, useToggleFavorite } from '../../features/favorites/use-favorites.ts'
import { useRole } from '../../features/members/use-role.ts'
import { tagsQuery } from '../../features/tags/queries.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { usePageTitle } from '../../lib/ui/page-title.ts'
import { Opening } from '../../lib/ui/typed-ahead.ts'
import type { FieldTask } from './field-dialogs.tsx'
import { KeepOffline } from './keep-offline.tsx'
import type { AddDocuments } from './use-add-documents.tsx'
import type { FieldList } from './use-field-list.tsx'

const FieldFilterList = lazy(() =>
  import('../../features/fields/field-filter-list.tsx').then((it) => ({ default: it.FieldFilterList })),
)

type ShelfHeadProps = {
  library: string
  search: ShelfSearch
  total: number | null
  isFiltered: boolean
  collections: readonly Collection[]
  people: readonly { id: string; name: string }[]
  list: FieldList
  adding: AddDocuments
  group: Field | undefined
  mayEditHere: boolean
  mayMakeCollections: boolean
  onSearch: (change: Partial<ShelfSearch>) => void
  onTask: (task: FieldTask) => void
  onRequest: () => void
}

export function ShelfHead(props: ShelfHeadProps) {
  const {
    library,
    search,
    total,
    isFiltered,
    collections,
    people,
    list,
    adding,
    group,
    mayEditHere,
    mayMakeCollections,
    onSearch,
    onTask,
    onRequest,
  } = props
  const { data: tags } = useQuery(tagsQuery(library))
  const { data: facets } = useQuery(facetsQuery(library))
  const { has: isFavorite } = useFavorites()
  const toggleFavorite = useToggleFavorite()
  const collection = collections.find(({ id }) => id === search.collection)
  const title = collection?.name ?? tags?.find(({ id }) => id === search.tag)?.name ?? t('All documents')
  usePageTitle(title)
  const { fields } = list
  const filterByFields = (fields: FieldFilter[] | undefined) => onSearch({ fields })
  const filters = (
    <Suspense fallback={null}>
      <FieldFilterList fields={fields} people={people} filters={search.fields} onFilters={filterByFields} />
    </Suspense>
  )
  return (
    <ShelfToolbar
      title={title}
      above={<CollectionPath library={library} path={pathTo(collections, search.collection).slice(0, -1)} />}
      total={total}
      canChoose={total !== 0 || isFiltered}
      aside={
        search.collection ? (
          <>
            {collection ? (
              <StarButton
                isFavorite={isFavorite(collection.id)}
                onToggle={() => toggleFavorite({ library, collection })}
              />
            ) : null}
            <KeepOffline library={library} collection={search.collection} />
            {collection ? <ApprovalMark library={library} collection={collection} /> : null}
            {mayEditHere ? (
              <Button icon={Settings2} look="quiet" size="small" onClick={() => onTask('fields')}>
                {t('Fields…')}
              </Button>
            ) : null}
            {group ? (
              <Menu
                align="start"
                trigger={
                  <Button icon={SquareKanban} look="quiet" size="small">
                    {t('Columns by {field}', { field: group.name })}
                  </Button>
                }
              >
                <MenuChoice
                  value={group.id}
                  onChange={(group) => onSearch({ group })}
                  options={fields.filter(canGroup).map(({ id, name }) => ({ value: id, label: name }))}
                />
              </Menu>
            ) : null}
            {search.view === 'list' ? (
              <Button icon={Columns2} look="quiet" size="small" onClick={() => onTask('columns')}>
                {t('Columns…')}
              </Button>
            ) : null}
          </>
        ) : null
      }
      hasBoard={fields.some(canGroup)}
      fields={
        fields.length > 0
          ? {
              orders: fieldOrders(fields),
              set: search.fields?.length ?? 0,
              onClear: () => filterByFields(undefined),
              list: filters,
            }
          : undefined
      }
      vocabulary={{
        collections,
        tags: tags ?? [],
        people,
        authors: facets?.authors.map(({ name }) => name) ?? [],
        years: facets?.years.map(({ year }) => year) ?? [],
        types: [],
        hasVerified: search.verified !== undefined || facets?.verified === true,
        states: STATES.filter(
          (state) => state === search.state || (facets?.[state] && (state === 'failed' || mayEditHere)),
        ),
        me: '',
      }}
      canEdit={mayEditHere}
      search={search}
      onSearch={onSearch}
      onPick={adding.pick}
      onPickFolder={mayMakeCollections ? adding.pickFolder : undefined}
      onWrite={adding.write}
      onLink={adding.link}
      onImport={mayMakeCollections ? adding.import : undefined}
      onRequest={collection ? onRequest : undefined}
    />
  )
}

const ApprovalDialog = lazy(() =>
  import('../../features/approval/approval-dialog.tsx').then((it) => ({ default: it.ApprovalDialog })),
)

type ApprovalMarkProps = { library: string; collection: { id: string; name: string } }

/** Says that changes in a collection need approval, and shows by whom. */
function ApprovalMark({ library, collection }: ApprovalMarkProps) {
  const { data: approval } = useQuery(approvalQuery(library, collection.id))
  const role = useRole(library)
  const [isOpen, setOpen] = useState(false)
  if (!approval?.is_required) return null
  return (
    <>
      <Button icon={BadgeCheck} look="quiet" size="small" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {t('Changes need approval')}
      </Button>
      {isOpen ? (
        <Suspense fallback={<Opening />}>
          <ApprovalDialog
            library={library}
            collection={collection}
            isOwner={role === 'owner'}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      ) : null}
    </>
  )
}
