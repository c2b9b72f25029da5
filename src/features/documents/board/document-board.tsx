import { Link } from '@tanstack/react-router'
import { Ellipsis } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef } from 'react'
import { Badge } from '../../../components/badge.tsx'
import { Button, IconButton } from '../../../components/button.tsx'
import { Menu, MenuItem } from '../../../components/menu.tsx'
import { startDrag, useDropTarget } from '../../../domain/drag-and-drop.ts'
import type { Person } from '../../../domain/field-conditions.ts'
import { type Field, type FieldInput, valuesOf } from '../../../domain/fields.ts'
import { formatNumber } from '../../../lib/i18n/format.ts'
import { isRightToLeft, t } from '../../../lib/i18n/i18n.ts'
import { classNames } from '../../../lib/ui/class-names.ts'
import { showToast } from '../../../lib/ui/toast.ts'
import type { Card } from '../card.ts'
import { describeKind } from '../kinds.ts'
import { TagList } from '../shelf/tag-list.tsx'
import { type BoardColumn, boardColumns, valueAfterMove } from './board-columns.ts'

type DocumentBoardProps = {
  library: string
  field: Field
  people: readonly Person[]
  documents: readonly Card[]
  total: number | null
  hasMore: boolean
  onMore: () => void
  /** Undefined for readers. */
  onSet: ((document: string, value: FieldInput) => Promise<boolean>) | undefined
}

/** Documents fetched automatically, so that columns are complete. */
const MAX_DOCUMENTS = 1000

type Place = { card: Card; from: string | null }
type Move = (place: Place, to: BoardColumn) => void

/** A board of documents by field value. Moving a card sets the value. */
export function DocumentBoard({
  library,
  field,
  people,
  documents,
  total,
  hasMore,
  onMore,
  onSet,
}: DocumentBoardProps) {
  const board = useRef<HTMLElement>(null)
  const columns = useMemo(() => boardColumns(field, people, documents), [field, people, documents])
  const isTooMany = hasMore && documents.length >= MAX_DOCUMENTS
  useEffect(() => {
    if (hasMore && !isTooMany) onMore()
  }, [hasMore, isTooMany, onMore])
  const focusLater = useFocusLater(board)

  const dragged = useRef<Place>(undefined)
  const move: Move | undefined =
    onSet &&
    ((place, to) => {
      const { card, from } = place
      if (from === to.id) return
      const before = valuesOf(card.values, field.id).map(String)
      focusLater(card.id, to.id)
      void onSet(card.id, valueAfterMove(field, card, from, to.id)).then((isSet) => {
        if (!isSet) return
        showToast({
          title: t('“{title}” is now in “{column}”', { title: card.title, column: to.name }),
          action: { label: t('Undo'), onClick: () => void onSet(card.id, before.length > 0 ? before : null) },
        })
      })
    })
  const drop = (ids: readonly string[], to: BoardColumn) => {
    for (const id of ids) {
      const here = columns.find(({ cards }) => cards.some((card) => card.id === id))
      const card = here?.cards.find((one) => one.id === id)
      if (here && card) move?.(dragged.current?.card.id === id ? dragged.current : { card, from: here.id }, to)
    }
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const at = placeOf(event.target, columns)
    const [across, along] = ARROWS[event.key] ?? []
    if (!at || across === undefined || along === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    const step = isRightToLeft() ? -across : across
    if (event.shiftKey && across !== 0) {
      const to = columns[at.column + step]
      if (to) move?.({ card: at.card, from: at.from }, to)
      return
    }
    const columnsAhead = step < 0 ? columns.slice(0, at.column).reverse() : columns.slice(at.column + 1)
    const column = step === 0 ? columns[at.column] : columnsAhead.find(({ cards }) => cards.length > 0)
    if (!column) return
    const next = column.cards[Math.min(at.row + along, column.cards.length - 1)]
    if (next) cardElement(board.current, next.id, column.id)?.focus()
  }

  return (
    <>
      <section
        ref={board}
        aria-label={t('Board by {field}', { field: field.name })}
        onKeyDown={onKeyDown}
        className="-mx-4 flex h-[calc(100dvh-15rem)] min-h-80 snap-x snap-mandatory scroll-px-4 gap-3 overflow-x-auto px-4 pb-2 sm:-mx-8 sm:snap-none sm:px-8"
      >
        {columns.map((column) => (
          <Column key={column.id} column={column} isComplete={!hasMore} onDrop={move && ((ids) => drop(ids, column))}>
            {column.cards.map((card) => (
              <li key={card.id} className="[contain-intrinsic-size:auto_5rem] [content-visibility:auto]">
                <BoardCard
                  library={library}
                  card={card}
                  onDragStart={
                    move &&
                    (() => {
                      dragged.current = { card, from: column.id }
                    })
                  }
                  tools={
                    move ? (
                      <MoveMenu
                        title={card.title}
                        field={field.name}
                        columns={columns.filter(({ id }) => id !== column.id)}
                        onMove={(to) => move({ card, from: column.id }, to)}
                      />
                    ) : null
                  }
                />
              </li>
            ))}
          </Column>
        ))}
      </section>
      {isTooMany ? (
        <p role="status" className="flex flex-wrap items-center gap-3 py-3 text-ink-soft text-sm">
          {t('These are the first {shown} of {total} documents.', {
            shown: formatNumber(documents.length),
            total: formatNumber(total ?? 0),
          })}
          <Button size="small" onClick={onMore}>
            {t('Load more')}
          </Button>
        </p>
      ) : null}
    </>
  )
}

const ARROWS: Readonly<Record<string, readonly [across: number, along: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

const NO_VALUE = 'none'

const cardElement = (board: HTMLElement | null, document: string, column: string | null) =>
  board?.querySelector<HTMLElement>(`[data-column="${column ?? NO_VALUE}"] [data-document="${document}"]`)

function placeOf(target: EventTarget, columns: readonly BoardColumn[]) {
  if (!(target instanceof HTMLElement) || !target.dataset.document) return undefined
  const id = target.closest<HTMLElement>('[data-column]')?.dataset.column
  const column = columns.findIndex((one) => (one.id ?? NO_VALUE) === id)
  const cards = columns[column]?.cards ?? []
  const row = cards.findIndex((card) => card.id === target.dataset.document)
  const card = cards[row]
  return card && { card, row, column, from: columns[column]?.id ?? null }
}

/** @returns a function that focuses a card once it has moved. */
function useFocusLater(board: { current: HTMLElement | null }) {
  const wanted = useRef<{ document: string; column: string | null }>(undefined)
  useEffect(() => {
    if (!wanted.current) return
    const card = cardElement(board.current, wanted.current.document, wanted.current.column)
    if (!card) return
    wanted.current = undefined
    card.focus()
  })
  return (document: string, column: string | null) => {
    wanted.current = { document, column }
  }
}

type ColumnProps = {
  column: BoardColumn
  isComplete: boolean
  onDrop: ((documents: string[]) => void) | undefined
  children: ReactNode
}

function Column({ column: { id, name, paint, cards }, isComplete, onDrop, children }: ColumnProps) {
  const target = useDropTarget({ documents: onDrop })
  return (
    <section
      aria-label={name}
      data-column={id ?? NO_VALUE}
      {...target}
      className="flex w-[min(17rem,calc(100vw-3.5rem))] shrink-0 snap-start flex-col rounded-lg border border-line bg-sunken/50 data-over:border-accent data-over:bg-accent-soft"
    >
      <h2 className="flex items-center gap-2 px-3 pt-2.5 pb-2 font-medium text-sm">
        {paint ? (
          <span aria-hidden className={classNames('size-3 shrink-0 rounded-full border border-edge', paint)} />
        ) : null}
        <bdi className="truncate">{name}</bdi>
        <Badge>
          {formatNumber(cards.length)}
          {isComplete ? '' : '+'}
        </Badge>
      </h2>
      <ul className="grid min-h-0 flex-1 auto-rows-min gap-2 overflow-y-auto px-2 pb-2">{children}</ul>
    </section>
  )
}

type BoardCardProps = {
  library: string
  card: Card
  onDragStart: (() => void) | undefined
  tools: ReactNode
}

function BoardCard({ library, card, onDragStart, tools }: BoardCardProps) {
  const { label, icon: Icon } = describeKind(card)
  return (
    <article
      aria-label={card.title}
      draggable={onDragStart !== undefined}
      onDragStart={(event) => {
        onDragStart?.()
        startDrag(event, 'documents', [card.id])
      }}
      className="group relative grid gap-1.5 rounded-md border border-line bg-surface px-3 py-2 hover:border-edge hover:shadow-lift has-[[data-document]:focus-visible]:outline-2 has-[[data-document]:focus-visible]:outline-accent"
    >
      <div className="flex items-start gap-2">
        <Icon role="img" aria-label={label} className="mt-1 size-3.5 shrink-0 text-accent" />
        <h3 dir="auto" className="line-clamp-3 min-w-0 flex-1 font-medium font-serif text-sm leading-snug">
          <Link
            data-document={card.id}
            to="/l/$library/d/$document"
            params={{ library, document: card.id }}
            draggable={false}
            className="outline-none after:absolute after:inset-0"
          >
            {card.title}
          </Link>
        </h3>
        {tools}
      </div>
      <TagList tags={card.tags} />
    </article>
  )
}

type MoveMenuProps = {
  title: string
  field: string
  columns: readonly BoardColumn[]
  onMove: (to: BoardColumn) => void
}

function MoveMenu({ title, field, columns, onMove }: MoveMenuProps) {
  return (
    <Menu
      label={field}
      trigger={
        <IconButton
          icon={Ellipsis}
          label={t('Move {title} to another column', { title })}
          className="relative z-10 -my-1 -me-2"
        />
      }
    >
      {columns.map((column) => (
        <MenuItem key={column.id} onSelect={() => onMove(column)}>
          {column.paint ? (
            <span aria-hidden className={classNames('size-3 shrink-0 rounded-full border border-edge', column.paint)} />
          ) : null}
          <bdi>{column.name}</bdi>
        </MenuItem>
      ))}
    </Menu>
  )
}
