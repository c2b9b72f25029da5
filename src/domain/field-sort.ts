/** Parses a shelf's order by field: the field's id, with a minus if descending. */
export const fieldSort = (sort: string | undefined): { field: string; descending: boolean } | undefined => {
  const [, minus, field] = /^(-?)([0-9a-f]{8}-[0-9a-f-]{27})$/.exec(sort ?? '') ?? []
  return field ? { field, descending: minus === '-' } : undefined
}
