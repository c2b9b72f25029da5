import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import { savePosition } from './mutations.ts'
import { positionQuery } from './queries.ts'

/** Written down after this long without moving. Milliseconds. */
const REST = 1500
/** Less than this of a document is its beginning; to come back there is no coming back. */
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
  /** Somebody came for a passage: then that is shown, not where they stopped last time. */
  elsewhere: boolean
}

/** Brings a person back to where they stopped reading, and keeps where they are now.
 *  @returns the page to begin at, in what has pages. */
export function useReadingPosition({ library, document: id, page, paged, elsewhere }: Options): number | undefined {
  const { data: before } = useQuery(positionQuery(library, id))
  const [restored, setRestored] = useState(false)
  const { mutate } = useMutation({ ...savePosition, retry: 1 })
  const keep = useEffectEvent(() => mutate({ library, document: id, page: page ?? null, share: shareRead() }))

  useEffect(() => {
    if (before === undefined || restored) return
    setRestored(true)
    if (elsewhere || paged || !before || before.share < WORTH) return
    // Once what is above has been drawn: a frame or a font may still change its height.
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
