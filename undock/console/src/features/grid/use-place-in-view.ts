import { type RefObject, useEffectEvent, useLayoutEffect, useRef } from 'react'
import type { Part, Row } from './row-source.ts'
import type { CellPosition } from './use-grid-selection.ts'

type View = {
  readonly box: RefObject<HTMLElement | null>
  /** Undefined while the first of them are on their way. */
  readonly rows: readonly Row[] | undefined
  readonly rowHeight: number
  readonly part: Part | null
  /** The inputs of the rows other than the part. */
  readonly order: string
  readonly moveTo: (place: CellPosition) => void
  /** The rows have got other places: so many lines further down. */
  readonly shift: (lines: number) => void
}

/** Begins at the right end of another part, and keeps what is seen where it is when rows arrive before it. */
export function usePlaceInView({ box, rows, rowHeight, part, order, moveTo, shift }: View): void {
  const isThere = rows !== undefined
  const first = rows?.[0]?.place.join('\u0000') ?? ''
  const seen = useRef({ first, key: '' })
  const begin = useEffectEvent(() => {
    const isEnd = part === 'end'
    moveTo({ row: isEnd ? (rows?.length ?? 1) - 1 : 0, column: 0 })
    if (box.current) box.current.scrollTop = isEnd ? box.current.scrollHeight : 0
  })
  const follow = useEffectEvent((before: string) => {
    const lines = rows?.findIndex(({ place }) => place.join('\u0000') === before) ?? -1
    if (lines <= 0) return
    shift(lines)
    if (box.current) box.current.scrollTop += lines * rowHeight
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: each part of the rows begins at its own place
  useLayoutEffect(() => {
    if (isThere) begin()
  }, [part, isThere])
  useLayoutEffect(() => {
    if (!isThere) return
    const before = seen.current
    seen.current = { first, key: `${order} ${part}` }
    if (before.key === seen.current.key && before.first !== first) follow(before.first)
  }, [isThere, first, order, part])
}
