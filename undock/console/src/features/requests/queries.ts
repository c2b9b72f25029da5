import { queryOptions } from '@tanstack/react-query'
import type { RequestFilter, RequestSummary, RequestTree } from '../../../../src/timeline/records.ts'
import { service } from '../../lib/api.ts'

export type { RequestFilter, RequestSummary, RequestTree }

/** The maximum number of listed requests. */
export const MAX_REQUESTS = 1_000

/** The filter as the query of an address. */
export const filterQuery = ({ failed, slow, service: name }: RequestFilter): string =>
  new URLSearchParams({
    ...(failed ? { failed: 'true' } : {}),
    ...(slow === undefined ? {} : { slow: String(slow) }),
    ...(name === undefined ? {} : { service: name }),
  }).toString()

/** The newest requests that fit. */
export const requestsQuery = (filter: RequestFilter) =>
  queryOptions({
    queryKey: ['requests', 'list', filter],
    queryFn: ({ signal }) =>
      service<RequestSummary[]>(`/undock/v1/requests?${filterQuery(filter)}&limit=${MAX_REQUESTS}`, { signal }),
  })

/** A request adds to itself for a while, such as mails that are sent after its answer. */
const STILL_GROWS = 60_000

/** A request with all that it caused. */
export const requestQuery = (id: string) =>
  queryOptions({
    queryKey: ['requests', 'one', id],
    queryFn: ({ signal }) => service<RequestTree>(`/undock/v1/requests/${encodeURIComponent(id)}`, { signal }),
    retry: false,
    refetchInterval: ({ state }) =>
      state.data && Date.now() - Date.parse(state.data.time) < STILL_GROWS ? 2_000 : false,
  })

/** All requests that are kept, the oldest first. @throws {ApiError} */
export const readAllRequests = (): Promise<RequestTree[]> => service('/undock/v1/requests/all')
