import { Link } from '@tanstack/react-router'
import { memo, useRef } from 'react'
import { Checkbox } from '../../../components/checkbox.tsx'
import { Progress } from '../../../components/progress.tsx'
import { startDrag } from '../../../domain/drag-and-drop.ts'
import { progressOf, type ReadingPosition } from '../../../domain/reading-progress.ts'
import { formatRelativeTime } from '../../../lib/i18n/format.ts'
import { t } from '../../../lib/i18n/i18n.ts'
import { sizeLabel } from '../document-size.ts'
import { IndexingStatus } from '../indexing-status.tsx'
import { describeKind } from '../kinds.ts'
import type { Card } from '../queries.ts'
import { DocumentActions } from './document-actions.tsx'
import { type ShelfProps, selectedWith } from './document-card.tsx'
import { TagList } from './tag-list.tsx'
import { useShelfKeys } from './use-shelf-keys.ts'
import { useVirtualRows } from './use-virtual-rows.ts'

/** In CSS pixels. */
const ROW = 45

type DocumentTableProps = ShelfProps & {
  /** The names of the library's collections, by their ids. */
  collections: ReadonlyMap<string, string>
}

export function DocumentTable({
  documents,
  collections,
  positions,
  favorites,
  hasMore,
  onMore,
  ...entry
}: DocumentTableProps) {
  const table = useRef<HTMLTableElement>(null)
  const { virtualizer, rows, top, height } = useVirtualRows(table, {
    count: documents.length,
    estimate: ROW,
    hasMore,
    onMore,
  })
  useShelfKeys(table, documents, entry.selection, (index) => virtualizer.scrollToIndex(index))
  const above = (rows[0]?.start ?? top) - top
  const below = height - ((rows.at(-1)?.end ?? top) - top)
  return (
    <table ref={table} aria-rowcount={hasMore ? -1 : documents.length + 1} className="w-full border-collapse text-sm">
      <thead>
        <tr className="border-line border-b [&>th]:eyebrow [&>th]:py-2 [&>th]:text-start [&>th]:pe-4">
          {entry.canEdit ? (
            <th scope="col" className="w-8">
              <Checkbox
                aria-label={t('Select all')}
                checked={entry.selection.ids.size > 0 && entry.selection.ids.size === documents.length}
                onChange={({ target }) => (target.checked ? entry.selection.all() : entry.selection.clear())}
              />
            </th>
          ) : null}
          <th scope="col">{t('Title')}</th>
          <th scope="col" className="hidden sm:table-cell">
            {t('Kind')}
          </th>
          <th scope="col" className="hidden xl:table-cell">
            {t('Author')}
          </th>
          <th scope="col" className="hidden md:table-cell">
            {t('Size')}
          </th>
          <th scope="col" className="hidden xl:table-cell">
            {t('Collection')}
          </th>
          <th scope="col" className="hidden 2xl:table-cell">
            {t('Added by')}
          </th>
          <th scope="col" className="hidden md:table-cell">
            {t('Added')}
          </th>
          <th scope="col" className="w-8">
            <span className="sr-only">{t('Actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        <Gap height={above} />
        {rows.map(({ index }) => {
          const document = documents[index]
          return document ? (
            <DocumentRow
              key={document.id}
              measure={virtualizer.measureElement}
              index={index}
              document={document}
              position={positions.get(document.id)}
              isFavorite={favorites.has(document.id)}
              collection={collections.get(document.collection_id ?? '')}
              {...entry}
            />
          ) : null
        })}
        <Gap height={below} />
      </tbody>
    </table>
  )
}

/** Takes the place of the rows that are not rendered. */
function Gap({ height }: { height: number }) {
  return height > 0 ? (
    <tr aria-hidden>
      <td style={{ height }} />
    </tr>
  ) : null
}

type DocumentRowProps = Pick<ShelfProps, 'library' | 'canEdit' | 'handlers' | 'selection'> & {
  document: Card
  position: ReadingPosition | undefined
  isFavorite: boolean
  collection: string | undefined
  index: number
  measure: (row: HTMLTableRowElement | null) => void
}

/** Memoized: dozens of rows are on screen while the shelf scrolls. */
const DocumentRow = memo(function DocumentRow({
  library,
  document,
  position,
  isFavorite,
  collection,
  canEdit,
  handlers,
  selection,
  index,
  measure,
}: DocumentRowProps) {
  const progress = progressOf(document, position)
  return (
    <tr
      ref={measure}
      data-index={index}
      aria-rowindex={index + 2}
      draggable={canEdit}
      onDragStart={(event) => startDrag(event, 'documents', selectedWith(document, selection))}
      data-selected={selection.has(document.id) || undefined}
      className="border-line border-b hover:bg-hover/60 data-selected:bg-accent-soft [&>td]:py-2 [&>td]:pe-4 [&>td]:align-top [&>td]:leading-6"
    >
      {canEdit ? (
        <td>
          <Checkbox
            aria-label={t('Select {title}', { title: document.title })}
            checked={selection.has(document.id)}
            onChange={({ nativeEvent }) => {
              selection.toggle(document.id, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
            }}
            className="mt-1"
          />
        </td>
      ) : null}
      <td>
        <Link
          dir="auto"
          data-document={document.id}
          to="/l/$library/d/$document"
          params={{ library, document: document.id }}
          className="rounded font-medium font-serif text-base hover:text-accent-strong"
        >
          {document.title}
        </Link>
        <div className="grid max-w-md gap-1.5 not-empty:mt-1">
          {progress ? (
            <div className="flex items-center gap-2.5 text-ink-faint text-xs leading-4">
              <Progress value={progress.share} label={t('Read so far')} className="h-0.5 w-24" />
              {progress.label}
            </div>
          ) : null}
          <TagList tags={document.tags} />
          <IndexingStatus
            library={library}
            document={document}
            onRetry={canEdit ? () => handlers.onReadAgain(document) : undefined}
          />
        </div>
      </td>
      <td className="hidden whitespace-nowrap text-ink-soft sm:table-cell">{describeKind(document).label}</td>
      <td dir="auto" className="hidden max-w-48 truncate text-ink-soft xl:table-cell">
        {document.written_by}
      </td>
      <td className="hidden whitespace-nowrap text-ink-soft tabular-nums md:table-cell">{sizeLabel(document)}</td>
      <td dir="auto" className="hidden max-w-48 truncate text-ink-soft xl:table-cell">
        {collection}
      </td>
      <td dir="auto" className="hidden max-w-48 truncate text-ink-soft 2xl:table-cell">
        {document.author?.display_name ?? t('Somebody who left')}
      </td>
      <td className="hidden whitespace-nowrap text-ink-soft md:table-cell">
        <time dateTime={document.created_at}>{formatRelativeTime(document.created_at)}</time>
      </td>
      <td>
        <div className="-my-1">
          <DocumentActions
            library={library}
            document={document}
            canEdit={canEdit}
            isFavorite={isFavorite}
            handlers={handlers}
          />
        </div>
      </td>
    </tr>
  )
})
