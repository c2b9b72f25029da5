/** The marks after one is set or removed. */
export function toggled<Id>(marks: ReadonlySet<Id>, id: Id): ReadonlySet<Id> {
  const next = new Set(marks)
  if (!next.delete(id)) next.add(id)
  return next
}
