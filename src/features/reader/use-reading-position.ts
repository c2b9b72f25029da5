import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type RefObject, useEffect, useEffectEvent, useState } from 'react'
import { savePosition } from './mutations.ts'
import { positionQuery } from './queries.ts'

/** Milliseconds without scrolling until the position is saved. */
const REST = 1500
/** A smaller share counts as the beginning and isn't restored. */
const WORTH = 0.02

/** Returns a text's top on the page and its scrollable distance, in pixels. */
function extentOf(text: Element): { top: number; way: number } {
  const { top, height } = text.getBoundingClientRect()
  return { top: top + scrollY, way: height - innerHeight }
}

/** @returns 0 to 1; 0 for text that fits into the window, or isn't drawn yet. */
function shareRead(text: Element): number {
  const { top, way } = extentOf(text)
  return way > 0 ? Math.min(1, Math.max(0, (scrollY - top) / way)) : 0
}

type Options = {
  library: string
  document: string
  text: RefObject<Element | null>
  page: number | undefined
  paged: boolean
  /** The URL has a passage or comment, which takes precedence. */
  elsewhere: boolean
}

/** Restores and saves the reading position. @returns the page to start at, in a document with pages. */
export function useReadingPosition({
  library,
  document: id,
  text,
  page,
  paged,
  elsewhere,
}: Options): number | undefined {
  const queryClient = useQueryClient()
  const query = positionQuery(library, id)
  const { data, isFetching } = useQuery(query)
  // Fixed, because later positions are where the person already is.
  const [before, setBefore] = useState<typeof data>()
  const restored = before !== undefined
  const { mutate } = useMutation({ ...savePosition, retry: 1 })
  const keep = useEffectEvent(() => {
    if (!text.current) return
    const position = { page: page ?? null, share: shareRead(text.current) }
    // For the next time this browser opens it.
    queryClient.setQueryData(query.queryKey, position)
    mutate({ library, document: id, ...position })
  })

  useEffect(() => {
    // Refetch first: the person may have read on another device.
    if (data !== undefined && !isFetching) setBefore((known) => (known === undefined ? data : known))
  }, [data, isFetching])
  useEffect(() => {
    if (before === undefined) return
    if (elsewhere || paged || !before || before.share < WORTH) return
    // After the first paint, because a frame or font may still change the height.
    const timer = setTimeout(() => {
      if (!text.current) return
      const { top, way } = extentOf(text.current)
      if (way > 0) scrollTo({ top: top + before.share * way })
    }, 400)
    return () => clearTimeout(timer)
  }, [before, elsewhere, paged, text])

  useEffect(() => {
    if (!restored) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const listen = () => {
      clearTimeout(timer)
      timer = setTimeout(() => keep(), REST)
    }
    addEventListener('scroll', listen, { passive: true })
    return () => {
      removeEventListener('scroll', listen)
      clearTimeout(timer)
    }
  }, [restored])
  return before?.page ?? undefined
}
