import { Link } from '@tanstack/react-router'
import { memo, useRef } from 'react'
import { Checkbox } from '../../../components/checkbox.tsx'
import { Progress } from '../../../components/progress.tsx'
import { startDrag } from '../../../domain/drag-and-drop.ts'
import { progressOf } from '../../../domain/reading-progress.ts'
import { t } from '../../../lib/i18n/i18n.ts'
import { useVirtualRows } from '../../../lib/ui/use-virtual-rows.ts'
import { IndexingStatus } from '../indexing-status.tsx'
import { ColumnHeader } from './column-header.tsx'
import { DocumentActions } from './document-actions.tsx'
import { DocumentCheckbox, type DocumentProps, type ShelfProps, selectedWith } from './document-card.tsx'
import type { Column } from './fact-columns.tsx'
import { TagList } from './tag-list.tsx'
import { useShelfKeys } from './use-shelf-keys.ts'

/** CSS pixels. */
const ROW = 45

type DocumentTableProps = ShelfProps & {
  columns: readonly Column[]
  /** The sort column, with a minus if descending. */
  sort?: string | undefined
  onSort?: ((sort: string | undefined) => void) | undefined
  onResize?: ((column: string, width: number) => void) | undefined
}

export function DocumentTable({
  documents,
  columns,
  positions,
  favorites,
  hasMore,
  onMore,
  sort,
  onSort,
  onResize,
  ...entry
}: DocumentTableProps) {
  const table = useRef<HTMLTableElement>(null)
  const { rows, top, height, measure, reveal } = useVirtualRows(table, {
    count: documents.length,
    estimate: ROW,
    hasMore,
    onMore,
  })
  useShelfKeys(table, documents, entry.selection, reveal)
  const above = (rows[0]?.start ?? top) - top
  const below = height - ((rows.at(-1)?.end ?? top) - top)
  const list = (
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
          <th scope="col" className="min-w-54">
            {t('Title')}
          </th>
          {columns.map((column) => (
            <ColumnHeader key={column.column} column={column} sort={sort} onSort={onSort} onResize={onResize} />
          ))}
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
              measure={measure}
              index={index}
              document={document}
              position={positions.get(document.id)}
              isFavorite={favorites.has(document.id)}
              columns={columns}
              {...entry}
            />
          ) : null
        })}
        <Gap height={below} />
      </tbody>
    </table>
  )
  // Custom columns may be wider than the page. Visually hidden elements are positioned, so they have to scroll along.
  return onResize ? <div className="relative overflow-x-auto pb-2">{list}</div> : list
}

function Gap({ height }: { height: number }) {
  return height > 0 ? (
    <tr aria-hidden>
      <td style={{ height }} />
    </tr>
  ) : null
}

type DocumentRowProps = DocumentProps & {
  columns: readonly Column[]
  index: number
  measure: (row: HTMLTableRowElement | null) => void
}

/** Memoized, because dozens of rows are rendered while scrolling. */
const DocumentRow = memo(function DocumentRow({
  library,
  document,
  position,
  isFavorite,
  columns,
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
          <DocumentCheckbox document={document} selection={selection} className="mt-1" />
        </td>
      ) : null}
      <td>
        <Link
          dir="auto"
          data-document={document.id}
          to="/l/$library/d/$document"
          params={{ library, document: document.id }}
          className="wrap-anywhere rounded font-medium font-serif text-base hover:text-accent-strong"
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
      {columns.map(({ column, className, width, isText, cell }) => (
        <td
          key={column}
          dir={isText ? 'auto' : undefined}
          className={className}
          style={width === undefined ? undefined : { maxWidth: width, overflow: 'hidden' }}
        >
          {cell(document)}
        </td>
      ))}
      <td>
        <div className="-my-1">
          <DocumentActions {...{ library, document, canEdit, isFavorite, handlers }} />
        </div>
      </td>
    </tr>
  )
})
