import { type DataTag, type QueryKey, queryOptions, type UnusedSkipTokenOptions } from '@tanstack/react-query'

type Query<Data> = UnusedSkipTokenOptions<Data> & { queryKey: DataTag<QueryKey, Data, Error> }
type Request<Data> = () => { abortSignal(signal: AbortSignal): { throwOnError(): PromiseLike<{ data: Data }> } }

/** A query whose data is what the database returns, or what `read` makes of it. Cancelling it aborts the request. */
export function databaseQuery<Data>(queryKey: QueryKey, request: Request<Data>): Query<Data>
export function databaseQuery<Data, Result>(
  queryKey: QueryKey,
  request: Request<Data>,
  read: (data: Data) => Result,
): Query<Result>
export function databaseQuery<Data>(
  queryKey: QueryKey,
  request: Request<Data>,
  read: (data: Data) => unknown = (data) => data,
): Query<unknown> {
  return queryOptions({
    queryKey,
    queryFn: async ({ signal }) => read((await request().abortSignal(signal).throwOnError()).data),
  })
}

/** The data of a query, or of the queries that a function returns. */
export type DataOf<Query> = Query extends (...values: never[]) => infer One
  ? DataOf<One>
  : Query extends { queryFn?: infer QueryFn }
    ? Awaited<ReturnType<Extract<QueryFn, (...context: never[]) => unknown>>>
    : never

/** A row doesn't exist for this person: deleted, or hidden by row security. */
class MissingRowError extends Error {
  readonly status = 404
}

/** Unwraps a row that the person should see. @throws {MissingRowError} */
export function presentRow<Row>(row: Row | null | undefined): Row {
  if (row == null) throw new MissingRowError('The row is not there')
  return row
}
