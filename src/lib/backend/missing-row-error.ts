/** A row is not there for this person: it was deleted, or row security hides it. */
class MissingRowError extends Error {
  readonly status = 404
}

/** The one row of an answer of `maybeSingle`, which unlike `single` is no failed request where there is none.
 *  @throws {MissingRowError} */
export function presentRow<Row>(row: Row | null): Row {
  if (row === null) throw new MissingRowError('The row is not there')
  return row
}
