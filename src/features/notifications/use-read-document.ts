import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { readNotifications } from './mutations.ts'
import { unreadNotificationsQuery } from './queries.ts'

/** Marks the notifications about a document as read while it is on screen, also those that arrive meanwhile. A failure is not shown:
 *  the next visit tries again. */
export function useReadDocument(document: string): void {
  const { data } = useQuery(unreadNotificationsQuery)
  const { mutate } = useMutation(readNotifications)
  const isUnread = data?.documents.includes(document) ?? false
  useEffect(() => {
    if (!isUnread) return
    const read = () => {
      if (globalThis.document.visibilityState === 'visible') mutate({ document })
    }
    read()
    globalThis.document.addEventListener('visibilitychange', read)
    return () => globalThis.document.removeEventListener('visibilitychange', read)
  }, [document, isUnread, mutate])
}
