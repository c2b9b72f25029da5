import clsx from 'clsx'
import { ArrowDown, ArrowUp, File, Folder } from 'lucide-react'
import { useEffect } from 'react'
import { bytes, time } from '../../lib/format.ts'
import { toggled } from '../../lib/state.ts'
import { useRows } from '../../lib/use-rows.ts'
import { nextSort } from './browser-state.ts'
import { isFolder, nameOf } from './keys.ts'
import type { Entry, Sort } from './storage.ts'

const ROW_HEIGHT = 34
const GRID = 'grid grid-cols-[2rem_minmax(10rem,1fr)_6rem_10rem_12rem] items-center gap-2 px-3'

const NAMES: Readonly<Record<Sort, string>> = { name: 'Name', updated_at: 'Updated', created_at: 'Created' }

type EntryListProps = {
  entries: readonly Entry[]
  sort: string
  /** Undefined if the order is fixed. */
  onSort: ((sort: string) => void) | undefined
  /** Whether names are shown with their folders. */
  isFlat: boolean
  marked: ReadonlySet<string>
  onMark: (marked: ReadonlySet<string>) => void
  /** The file shown next to the list. */
  shown: string | undefined
  onOpen: (key: string) => void
  onEnd: () => void
}

export function EntryList({ entries, sort, onSort, isFlat, marked, onMark, shown, onOpen, onEnd }: EntryListProps) {
  const { box, items, total, walk } = useRows<HTMLDivElement>({
    count: entries.length,
    height: ROW_HEIGHT,
    overscan: 12,
  })
  const last = items.at(-1)?.index ?? -1
  useEffect(() => {
    if (last >= entries.length - 40 && entries.length > 0) onEnd()
  }, [last, entries.length, onEnd])
  const areAllMarked = entries.length > 0 && entries.every(({ key }) => marked.has(key))
  return (
    <div className="flex h-full min-w-0 flex-col overflow-x-auto">
      <div className={clsx(GRID, 'h-8 min-w-176 shrink-0 border-b bg-panel text-ink-soft text-xs')}>
        <input
          type="checkbox"
          aria-label="Select all shown"
          checked={areAllMarked}
          onChange={() => onMark(areAllMarked ? new Set() : new Set(entries.map(({ key }) => key)))}
          className="size-4 accent-accent"
        />
        <SortButton column="name" sort={sort} onSort={onSort} />
        <span className="text-right">Size</span>
        <span>Type</span>
        <SortButton column="updated_at" sort={sort} onSort={onSort} />
      </div>
      <div ref={box} className="min-h-0 min-w-176 flex-1 overflow-y-auto">
        <ul className="relative" style={{ height: total }} onKeyDown={walk}>
          {items.map(({ index, start }) => {
            const one = entries[index]
            if (!one) return null
            const name = isFlat ? one.key : nameOf(one.key)
            const Icon = isFolder(one.key) ? Folder : File
            return (
              <li
                key={one.key}
                className={clsx(
                  GRID,
                  'absolute inset-x-0 top-0 h-8.5 border-b text-[13px]',
                  one.key === shown ? 'bg-accent-soft' : 'hover:bg-panel',
                )}
                style={{ transform: `translateY(${start}px)` }}
              >
                <input
                  type="checkbox"
                  aria-label={`Select ${name}`}
                  checked={marked.has(one.key)}
                  onChange={() => onMark(toggled(marked, one.key))}
                  className="size-4 accent-accent"
                />
                <button
                  type="button"
                  data-row={index}
                  title={name}
                  onClick={() => onOpen(one.key)}
                  className="flex min-w-0 items-center gap-2 text-left"
                >
                  <Icon aria-hidden className="size-4 shrink-0 text-ink-faint" />
                  <span className="truncate">{name}</span>
                </button>
                <span className="text-right text-ink-soft text-xs">{one.size === null ? '' : bytes(one.size)}</span>
                <span className="truncate text-ink-soft text-xs">{isFolder(one.key) ? 'Folder' : one.type}</span>
                <span className="truncate text-ink-soft text-xs">{one.updatedAt ? time(one.updatedAt) : ''}</span>
              </li>
            )
          })}
        </ul>
      </div>
    </div>
  )
}

type SortButtonProps = { column: Sort; sort: string; onSort: ((sort: string) => void) | undefined }

function SortButton({ column, sort, onSort }: SortButtonProps) {
  const isSorted = sort.replace(/^-/, '') === column
  const isDescending = sort.startsWith('-')
  if (!onSort) return <span>{NAMES[column]}</span>
  return (
    <button
      type="button"
      aria-label={`Sort by ${NAMES[column]}`}
      onClick={() => onSort(nextSort(sort, column))}
      className="flex items-center gap-1 text-left hover:text-ink"
    >
      {NAMES[column]}
      {isSorted ? (
        isDescending ? (
          <ArrowDown aria-hidden className="size-3" />
        ) : (
          <ArrowUp aria-hidden className="size-3" />
        )
      ) : null}
    </button>
  )
}
