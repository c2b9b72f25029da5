import type { ReactNode } from 'react'
import { formatRelativeTime } from '../../../lib/i18n/format.ts'
import { msg, t } from '../../../lib/i18n/i18n.ts'
import type { Card } from '../card.ts'
import { sizeLabel } from '../document-size.ts'
import { describeKind } from '../kinds.ts'

export type Column = {
  column: string
  label: string
  /** Cell classes, including the breakpoint from which it's shown. */
  className?: string
  /** CSS pixels; defaults to the content's width. */
  width?: number | undefined
  /** Whether it's user-written, in any direction. */
  isText?: boolean
  isSortable?: boolean
  cell: (document: Card) => ReactNode
}

const SHORT = 'whitespace-nowrap text-ink-soft tabular-nums'
const TEXT = 'max-w-48 truncate text-ink-soft'

export const FACTS = [
  { column: 'kind', label: msg('Kind'), from: 'hidden sm:table-cell', className: SHORT },
  { column: 'author', label: msg('Author'), from: 'hidden xl:table-cell', className: TEXT },
  { column: 'size', label: msg('Size'), from: 'hidden md:table-cell', className: SHORT },
  { column: 'collection', label: msg('Collection'), from: 'hidden xl:table-cell', className: TEXT },
  { column: 'added_by', label: msg('Added by'), from: 'hidden 2xl:table-cell', className: TEXT },
  { column: 'added', label: msg('Added'), from: 'hidden md:table-cell', className: SHORT },
] as const

/** @param collections Names by id.
 *  @param isChosen The person has chosen the columns, so they are shown on every screen. */
export const factColumns = (collections: ReadonlyMap<string, string>, isChosen: boolean): Column[] =>
  FACTS.map(({ column, label, from, className }) => ({
    column,
    label: t(label),
    isText: className === TEXT,
    className: isChosen ? className : `${from} ${className}`,
    cell: (document) => factOf(column, document, collections),
  }))

function factOf(column: (typeof FACTS)[number]['column'], document: Card, collections: ReadonlyMap<string, string>) {
  switch (column) {
    case 'kind':
      return describeKind(document).label
    case 'author':
      return document.written_by
    case 'size':
      return sizeLabel(document)
    case 'collection':
      return collections.get(document.collection_id ?? '')
    case 'added_by':
      return document.author?.display_name ?? t('Former member')
    case 'added':
      return <time dateTime={document.created_at}>{formatRelativeTime(document.created_at)}</time>
  }
}
