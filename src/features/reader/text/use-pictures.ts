import { useQueries } from '@tanstack/react-query'
import { type RefObject, useEffect, useMemo } from 'react'
import type { PictureQuery } from '../../../domain/note-pictures.ts'
import { t } from '../../../lib/i18n/i18n.ts'

/** Gives the pictures of a note in an element their addresses, as soon as those are known. A picture that is gone is its description.
 *  @param html What is drawn in the element. */
export function usePictures(
  root: RefObject<HTMLElement | null>,
  pictures: PictureQuery | undefined,
  html: string | undefined,
): void {
  const hasPictures = pictures !== undefined
  const names = useMemo(
    () =>
      hasPictures && html
        ? [...new Set([...html.matchAll(/data-picture="([^"]+)"/g)].map(([, name = '']) => name))]
        : [],
    [hasPictures, html],
  )
  const found = useQueries({
    queries: pictures ? names.map(pictures) : [],
    combine: (results) => results.map(({ data, isError }) => (isError ? null : data?.url)),
  })
  useEffect(() => {
    for (const picture of root.current?.querySelectorAll('img') ?? []) {
      const address = found[names.indexOf(picture.dataset.picture ?? '')]
      if (address === undefined) continue
      picture.onerror = () => showDescription(picture)
      if (address === null) showDescription(picture)
      else picture.src = address
    }
  }, [root, names, found])
}

function showDescription(picture: HTMLImageElement): void {
  picture.removeAttribute('src')
  if (picture.alt === '') picture.alt = t('A picture that is not there any more')
}
