import { ChevronRight } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { isRightToLeft, t } from '../../../lib/i18n/i18n.ts'
import { classNames } from '../../../lib/ui/class-names.ts'
import { countItems, type Outline, type OutlineItem, type OutlineRow, pathTo, visibleRows } from './outline.ts'

const MAX_OPEN_ENTRIES = 60
/** rem per level. */
const INDENT = 0.75

/** A document's headings as a tree (ARIA tree pattern: arrow keys move, expand and collapse; Enter jumps). */
export function OutlineTree({ items, current, onGo }: Outline) {
  const list = useRef<HTMLDivElement>(null)
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map())
  const [focused, setFocused] = useState<string>()
  const isShort = countItems(items) <= MAX_OPEN_ENTRIES
  const above = new Set(current === undefined ? [] : pathTo(items, current))
  const isOpen = ({ id }: OutlineItem) => toggled.get(id) ?? (isShort || above.has(id))
  const rows = visibleRows(items, isOpen)
  const reachable = [focused, current].find((id) => rows.some(({ item }) => item.id === id)) ?? rows[0]?.item.id
  useEffect(() => {
    const row = current === undefined ? undefined : rowOf(list.current, current)
    const box = list.current?.parentElement
    // Scrolls only the list, not the page.
    if (row && box) box.scrollTo({ top: row.offsetTop - box.clientHeight / 2 })
  }, [current])

  const toggle = (id: string, open: boolean) => setToggled((before) => new Map(before).set(id, open))
  const focus = (id: string | undefined) => {
    if (id === undefined) return
    setFocused(id)
    rowOf(list.current, id)?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const index = rows.findIndex(({ item }) => item.id === reachable)
    const row = rows[index]
    if (!row || event.altKey || event.ctrlKey || event.metaKey) return
    const act = actionOf(event.key, row, index)
    if (!act) return
    event.preventDefault()
    act()
  }
  const actionOf = (key: string, row: OutlineRow, index: number): (() => void) | undefined => {
    switch (logical(key)) {
      case 'ArrowDown':
        return () => focus(rows[index + 1]?.item.id)
      case 'ArrowUp':
        return () => focus(rows[index - 1]?.item.id)
      case 'Home':
        return () => focus(rows[0]?.item.id)
      case 'End':
        return () => focus(rows.at(-1)?.item.id)
      case 'Forward':
        return () => (row.isOpen ? focus(row.item.items[0]?.id) : toggle(row.item.id, true))
      case 'Back':
        return () => (row.isOpen ? toggle(row.item.id, false) : focus(row.parent))
      case 'Enter':
      case ' ':
        return () => onGo(row.item.id)
      default:
        return undefined
    }
  }

  return (
    <div ref={list} role="tree" aria-label={t('Contents')} onKeyDown={onKeyDown} className="grid grid-cols-1 text-sm">
      {rows.map(({ item, depth, place, siblings, isOpen }) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys of all its rows
        <div
          key={item.id}
          role="treeitem"
          data-outline={item.id}
          aria-level={depth}
          aria-posinset={place}
          aria-setsize={siblings}
          aria-expanded={item.items.length > 0 ? isOpen : undefined}
          aria-current={item.id === current ? 'location' : undefined}
          aria-selected={item.id === current}
          tabIndex={item.id === reachable ? 0 : -1}
          onFocus={() => setFocused(item.id)}
          onClick={() => onGo(item.id)}
          style={{ paddingInlineStart: `${(depth - 1) * INDENT}rem` }}
          className="group flex min-h-8 cursor-pointer items-start gap-0.5 rounded-md py-1 pe-2 text-ink-soft leading-snug -outline-offset-2 hover:bg-hover hover:text-ink aria-[current]:bg-accent-soft aria-[current]:font-medium aria-[current]:text-accent-strong"
        >
          {item.items.length > 0 ? (
            <span
              aria-hidden
              className="-my-1 grid size-7 shrink-0 place-items-center"
              onClick={(event) => {
                event.stopPropagation()
                toggle(item.id, !isOpen)
              }}
            >
              <ChevronRight
                className={classNames(
                  'size-3.5 transition-transform rtl:-scale-x-100',
                  isOpen && 'rotate-90 rtl:-rotate-90',
                )}
              />
            </span>
          ) : (
            <span aria-hidden className="w-7 shrink-0" />
          )}
          <span dir="auto" className="line-clamp-3 min-w-0">
            {item.title}
          </span>
        </div>
      ))}
    </div>
  )
}

const logical = (key: string): string =>
  key === 'ArrowRight' || key === 'ArrowLeft' ? ((key === 'ArrowRight') === isRightToLeft() ? 'Back' : 'Forward') : key

const rowOf = (list: HTMLElement | null, id: string): HTMLElement | null | undefined =>
  list?.querySelector<HTMLElement>(`[data-outline="${id}"]`)
