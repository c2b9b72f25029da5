import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useEvents } from '../../lib/use-events.ts'
import { filterQuery, MAX_REQUESTS, type RequestFilter, type RequestSummary, requestsQuery } from './queries.ts'

/** Milliseconds: a busy backend answers more requests than a screen can be drawn. */
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
    // What happened before the stream was open is read afterwards, so that nothing is missing between the two.
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
