import { useState } from 'react'

export type Selection = {
  ids: ReadonlySet<string>
  has: (id: string) => boolean
  /** @param range Selects everything between the previous entry and this one. */
  toggle: (id: string, range?: boolean) => void
  all: () => void
  clear: () => void
}

/** The selection within a list. Ids that are no longer in the list are ignored.
 *  @param order The ids of the list, in the order in which they are shown. */
export function useSelection(order: readonly string[]): Selection {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [last, setLast] = useState<string>()
  const ids = new Set(order.filter((id) => chosen.has(id)))
  return {
    ids,
    has: (id) => ids.has(id),
    toggle(id, range = false) {
      setChosen(toggled(ids, order, id, range ? last : undefined))
      setLast(id)
    },
    all: () => setChosen(new Set(order)),
    clear: () => setChosen(new Set()),
  }
}

/** @param from The start of a range; all of it gets the new state of `id`. */
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
