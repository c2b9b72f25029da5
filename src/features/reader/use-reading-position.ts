import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type RefObject, useEffect, useEffectEvent, useState } from 'react'
import { savePosition } from './mutations.ts'
import { positionQuery } from './queries.ts'

/** Milliseconds without scrolling until the position is saved. */
const REST = 1500
/** A smaller share of a document counts as its beginning and is not restored. */
const WORTH = 0.02

/** Where a text begins on the page, and how far it is scrolled from its beginning to its end, in pixels. */
function extentOf(text: Element): { top: number; way: number } {
  const { top, height } = text.getBoundingClientRect()
  return { top: top + scrollY, way: height - innerHeight }
}

/** @returns 0 to 1; 0 as well for what fits into the window, such as a text that has not been drawn yet. */
function shareRead(text: Element): number {
  const { top, way } = extentOf(text)
  return way > 0 ? Math.min(1, Math.max(0, (scrollY - top) / way)) : 0
}

type Options = {
  library: string
  document: string
  /** The element that the text is in: what is below it does not count. */
  text: RefObject<Element | null>
  page: number | undefined
  paged: boolean
  /** The address names a passage or a comment, which is shown instead of the last position. */
  elsewhere: boolean
}

/** Restores a person's reading position, and saves the current one.
 *  @returns the page to begin at, in a document with pages. */
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
  // What is stored later is where the person is, not where to go.
  const [before, setBefore] = useState<typeof data>()
  const restored = before !== undefined
  const { mutate } = useMutation({ ...savePosition, retry: 1 })
  const keep = useEffectEvent(() => {
    if (!text.current) return
    const position = { page: page ?? null, share: shareRead(text.current) }
    // For the next time that the document is opened in this browser.
    queryClient.setQueryData(query.queryKey, position)
    mutate({ library, document: id, ...position })
  })

  useEffect(() => {
    // What this browser had stored is asked for again, because the person may have read on another one.
    if (data !== undefined && !isFetching) setBefore((known) => (known === undefined ? data : known))
  }, [data, isFetching])
  useEffect(() => {
    if (before === undefined) return
    if (elsewhere || paged || !before || before.share < WORTH) return
    // Later than the first paint: a frame or a font may still change the height.
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
