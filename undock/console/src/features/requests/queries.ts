import { queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { RequestFilter, RequestSummary, RequestTree } from '../../../../src/timeline/records.ts'
import { service } from '../../lib/api.ts'
import { useEvents } from '../../lib/use-events.ts'

export type { RequestFilter, RequestSummary, RequestTree }

/** The maximum number of listed requests. */
const MAX_REQUESTS = 1_000

/** Returns the filter as a query string. */
const filterQuery = ({ failed, slow, service: name }: RequestFilter): string =>
  new URLSearchParams({
    ...(failed ? { failed: 'true' } : {}),
    ...(slow === undefined ? {} : { slow: String(slow) }),
    ...(name === undefined ? {} : { service: name }),
  }).toString()

/** The newest matching requests. */
export const requestsQuery = (filter: RequestFilter) =>
  queryOptions({
    queryKey: ['requests', 'list', filter],
    queryFn: ({ signal }) =>
      service<RequestSummary[]>(`/undock/v1/requests?${filterQuery(filter)}&limit=${MAX_REQUESTS}`, { signal }),
  })

/** A request can grow for a while, such as by mails sent after its response. */
const STILL_GROWS = 60_000

/** A request with everything it caused. */
export const requestQuery = (id: string) =>
  queryOptions({
    queryKey: ['requests', 'one', id],
    queryFn: ({ signal }) => service<RequestTree>(`/undock/v1/requests/${encodeURIComponent(id)}`, { signal }),
    retry: false,
    refetchInterval: ({ state }) =>
      state.data && Date.now() - Date.parse(state.data.time) < STILL_GROWS ? 2_000 : false,
  })

/** All recorded requests, oldest first. @throws {ApiError} */
export const readAllRequests = (): Promise<RequestTree[]> => service('/undock/v1/requests/all')

/** Milliseconds between renders, because requests can arrive faster. */
const REDRAW = 100

/** The newest requests first, updated live unless paused. */
export function useLiveRequests(filter: RequestFilter, isFollowing: boolean) {
  const { data, error, refetch } = useQuery(requestsQuery(filter))
  const query = filterQuery(filter)
  const [fresh, setFresh] = useState<readonly RequestSummary[]>([])
  const waiting = useRef<RequestSummary[]>([])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const isLive = useEvents<RequestSummary>({
    path: isFollowing ? `/services/undock/v1/requests/live?${query}` : null,
    // Refetches once the stream is open, so that nothing in between is missed.
    onOpen: () => void refetch(),
    onEvent: (request) => {
      waiting.current.push(request)
      timer.current ??= setTimeout(() => {
        timer.current = undefined
        const arrived = waiting.current.splice(0).reverse()
        setFresh((before) => [...arrived, ...before].slice(0, MAX_REQUESTS))
      }, REDRAW)
    },
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: with another filter, what arrived for the last one is dropped
  useEffect(() => {
    waiting.current = []
    setFresh([])
  }, [query])
  const requests = useMemo(() => {
    const known = new Set(data?.map(({ id }) => id))
    return [...fresh.filter(({ id }) => !known.has(id)), ...(data ?? [])]
      .sort((a, b) => b.time.localeCompare(a.time))
      .slice(0, MAX_REQUESTS)
  }, [fresh, data])
  return { requests: data ? requests : undefined, error, isLive, refetch }
}
