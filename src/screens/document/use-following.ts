import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useLibraryLive } from '../../features/live/library-live.tsx'

/** Follows a person: opens the document that they open.
 *  @returns the page that they read, while it is in this document. */
export function useFollowing(library: string, document: string, person: string | undefined): number | undefined {
  const navigate = useNavigate()
  const { people } = useLibraryLive()
  const place = person ? people.find((one) => one.person === person) : undefined
  const elsewhere = place?.document && place.document !== document ? place.document : undefined
  useEffect(() => {
    if (!elsewhere) return
    void navigate({
      to: '/l/$library/d/$document',
      params: { library, document: elsewhere },
      search: person ? { follow: person } : {},
    })
  }, [elsewhere, library, navigate, person])
  return place?.document === document ? (place.page ?? undefined) : undefined
}
