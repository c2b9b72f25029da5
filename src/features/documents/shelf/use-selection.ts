import { useLayoutEffect, useMemo, useRef, useState } from 'react'

export type Selection = {
  ids: ReadonlySet<string>
  has: (id: string) => boolean
  /** @param range Selects everything since the previous entry. */
  toggle: (id: string, range?: boolean) => void
  all: () => void
  clear: () => void
}

const NONE: ReadonlySet<string> = new Set()

/** The selection within a list; unknown ids are ignored. An empty selection keeps its identity, so that entries don't
 *  rerender.
 *  @param order The listed ids in order. */
export function useSelection(order: readonly string[]): Selection {
  const [chosen, setChosen] = useState(NONE)
  const last = useRef<string>(undefined)
  const ids = chosen.size === 0 ? NONE : new Set(order.filter((id) => chosen.has(id)))
  const shown = useRef({ ids, order })
  useLayoutEffect(() => {
    shown.current = { ids, order }
  })
  return useMemo(
    () => ({
      ids,
      has: (id) => ids.has(id),
      toggle(id, range = false) {
        setChosen(toggled(shown.current.ids, shown.current.order, id, range ? last.current : undefined))
        last.current = id
      },
      all: () => setChosen(new Set(shown.current.order)),
      clear: () => setChosen(NONE),
    }),
    [ids],
  )
}

/** @param from The start of a range, all of which gets the new state of `id`. */
export function toggled(
  chosen: ReadonlySet<string>,
  order: readonly string[],
  id: string,
  from: string | undefined,
): ReadonlySet<string> {
  const next = new Set(chosen)
  const on = !chosen.has(id)
  const start = from === undefined ? -1 : order.indexOf(from)
  const end = order.indexOf(id)
  const touched = start === -1 ? [id] : order.slice(Math.min(start, end), Math.max(start, end) + 1)
  for (const each of touched) {
    if (on) next.add(each)
    else next.delete(each)
  }
  return next
}
