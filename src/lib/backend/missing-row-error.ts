/** A row doesn't exist for this person: deleted, or hidden by row security. */
class MissingRowError extends Error {
  readonly status = 404
}

/** Unwraps `maybeSingle`, which unlike `single` isn't a failed request without a row. @throws {MissingRowError} */
export function presentRow<Row>(row: Row | null): Row {
  if (row === null) throw new MissingRowError('The row is not there')
  return row
}
