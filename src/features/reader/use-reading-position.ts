import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import { savePosition } from './mutations.ts'
import { positionQuery } from './queries.ts'

/** Milliseconds without scrolling until the position is saved. */
const REST = 1500
/** A smaller share of a document counts as its beginning and is not restored. */
const WORTH = 0.02

const shareRead = (): number => {
  const way = document.documentElement.scrollHeight - innerHeight
  return way > 0 ? Math.min(1, Math.max(0, scrollY / way)) : 0
}

type Options = {
  library: string
  document: string
  page: number | undefined
  paged: boolean
  /** The address names a passage or a comment, which is shown instead of the last position. */
  elsewhere: boolean
}

/** Restores a person's reading position, and saves the current one.
 *  @returns the page to begin at, in a document with pages. */
export function useReadingPosition({ library, document: id, page, paged, elsewhere }: Options): number | undefined {
  const { data: before } = useQuery(positionQuery(library, id))
  const [restored, setRestored] = useState(false)
  const { mutate } = useMutation({ ...savePosition, retry: 1 })
  const keep = useEffectEvent(() => mutate({ library, document: id, page: page ?? null, share: shareRead() }))

  useEffect(() => {
    if (before === undefined || restored) return
    setRestored(true)
    if (elsewhere || paged || !before || before.share < WORTH) return
    // Later than the first paint: a frame or a font may still change the height.
    const timer = setTimeout(() => {
      scrollTo({ top: before.share * (document.documentElement.scrollHeight - innerHeight) })
    }, 400)
    return () => clearTimeout(timer)
  }, [before, restored, elsewhere, paged])

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
