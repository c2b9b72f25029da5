import { useQueries } from '@tanstack/react-query'
import { type RefObject, useEffect, useMemo } from 'react'
import { pictureAddressQuery } from '../../../domain/note-pictures.ts'

/** Gives the pictures of a note in an element their addresses, as soon as those are known.
 *  @param html What is drawn in the element. */
export function usePictures(
  root: RefObject<HTMLElement | null>,
  note: { library: string; id: string } | undefined,
  html: string | undefined,
): void {
  const isNote = note !== undefined
  const names = useMemo(
    () =>
      isNote && html ? [...new Set([...html.matchAll(/data-picture="([^"]+)"/g)].map(([, name = '']) => name))] : [],
    [isNote, html],
  )
  const addresses = useQueries({
    queries: names.map((name) => pictureAddressQuery(note?.library ?? '', note?.id ?? '', name)),
    combine: (results) => results.map(({ data }) => data?.url),
  })
  useEffect(() => {
    for (const picture of root.current?.querySelectorAll('img') ?? []) {
      const address = addresses[names.indexOf(picture.dataset.picture ?? '')]
      if (address) picture.src = address
    }
  }, [root, names, addresses])
}
