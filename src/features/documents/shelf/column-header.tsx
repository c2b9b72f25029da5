import { ArrowDown, ArrowUp } from 'lucide-react'
import { type PointerEvent, useRef, useState } from 'react'
import { t } from '../../../lib/i18n/i18n.ts'
import { classNames } from '../../../lib/ui/class-names.ts'
import type { Column } from './fact-columns.tsx'

/** CSS pixels: width bounds, and the step of an arrow key. */
const NARROWEST = 60
const WIDEST = 800
const STEP = 16

type ColumnHeaderProps = {
  column: Column
  sort: string | undefined
  /** Undefined if the order is fixed. */
  onSort: ((sort: string | undefined) => void) | undefined
  onResize: ((column: string, width: number) => void) | undefined
}

/** A column heading: click to sort ascending, descending or not at all; drag the edge or use arrow keys to resize. */
export function ColumnHeader({
  column: { column, label, className, width, isSortable },
  sort,
  onSort,
  onResize,
}: ColumnHeaderProps) {
  const head = useRef<HTMLTableCellElement>(null)
  const [dragged, setDragged] = useState<number>()
  const order = sort === column ? 'ascending' : sort === `-${column}` ? 'descending' : undefined
  const currentWidth = dragged ?? width
  const bounded = (next: number) => Math.round(Math.min(WIDEST, Math.max(NARROWEST, next)))
  const drag = (event: PointerEvent<HTMLElement>) => {
    const handle = event.currentTarget
    const start = event.clientX
    const before = head.current?.offsetWidth ?? NARROWEST
    const forward = getComputedStyle(handle).direction === 'rtl' ? -1 : 1
    const widthAt = (x: number) => bounded(before + forward * (x - start))
    handle.setPointerCapture(event.pointerId)
    const move = ({ clientX }: globalThis.PointerEvent) => setDragged(widthAt(clientX))
    const end = ({ type, clientX }: globalThis.PointerEvent) => {
      handle.removeEventListener('pointermove', move)
      handle.removeEventListener('pointerup', end)
      handle.removeEventListener('pointercancel', end)
      setDragged(undefined)
      if (type === 'pointerup' && clientX !== start) onResize?.(column, widthAt(clientX))
    }
    handle.addEventListener('pointermove', move)
    handle.addEventListener('pointerup', end)
    handle.addEventListener('pointercancel', end)
  }
  return (
    <th
      ref={head}
      scope="col"
      aria-sort={order}
      className={classNames('relative', className)}
      style={
        currentWidth === undefined ? undefined : { width: currentWidth, minWidth: currentWidth, maxWidth: currentWidth }
      }
    >
      {isSortable && onSort ? (
        <button
          type="button"
          onClick={() => onSort(order === undefined ? column : order === 'ascending' ? `-${column}` : undefined)}
          className="eyebrow inline-flex max-w-full items-center gap-1 rounded hover:text-ink [&_svg]:size-3.5 [&_svg]:shrink-0"
        >
          <span className="truncate">{label}</span>
          {order === 'ascending' ? <ArrowUp aria-hidden /> : order ? <ArrowDown aria-hidden /> : null}
        </button>
      ) : (
        label
      )}
      {onResize ? (
        // biome-ignore lint/a11y/useSemanticElements: a separator that is moved is no line
        <span
          role="separator"
          tabIndex={0}
          aria-orientation="vertical"
          aria-label={t('Width of {name}', { name: label })}
          aria-valuenow={currentWidth ?? NARROWEST}
          aria-valuemin={NARROWEST}
          aria-valuemax={WIDEST}
          onPointerDown={drag}
          onKeyDown={(event) => {
            const forward = getComputedStyle(event.currentTarget).direction === 'rtl' ? -1 : 1
            const by = event.key === 'ArrowRight' ? STEP : event.key === 'ArrowLeft' ? -STEP : 0
            if (by === 0) return
            event.preventDefault()
            onResize(column, bounded((currentWidth ?? head.current?.offsetWidth ?? NARROWEST) + forward * by))
          }}
          className="absolute inset-y-1 end-1 w-2 cursor-col-resize touch-none rounded border-line border-e hover:border-accent focus-visible:border-accent"
        />
      ) : null}
    </th>
  )
}
