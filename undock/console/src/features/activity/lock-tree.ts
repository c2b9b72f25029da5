/** @property blockers The processes whose locks it waits for; 0 is a prepared transaction. */
type Waiter = { readonly pid: number; readonly blockers: readonly number[] }

export type LockLine<S> = { readonly session: S; readonly depth: number }

/** Sessions, each below the one that it waits for: those that others wait for first, then the order that they had. One that waits
 *  for several is below the first of them; sessions that wait for each other come last, until PostgreSQL ends one. */
export function lockTree<S extends Waiter>(sessions: readonly S[]): readonly LockLine<S>[] {
  const known = new Set(sessions.map(({ pid }) => pid))
  const waiters = Map.groupBy(sessions, ({ blockers }) => blockers.find((pid) => known.has(pid)))
  const lines = new Map<number, LockLine<S>>()
  const place = (session: S, depth: number): void => {
    if (lines.has(session.pid)) return
    lines.set(session.pid, { session, depth })
    for (const waiter of waiters.get(session.pid) ?? []) place(waiter, depth + 1)
  }
  const free = waiters.get(undefined) ?? []
  for (const session of free.filter(({ pid }) => waiters.has(pid))) place(session, 0)
  for (const session of [...free, ...sessions]) place(session, 0)
  return [...lines.values()]
}
