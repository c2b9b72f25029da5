import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { readNotifications } from './mutations.ts'
import { unreadNotificationsQuery } from './queries.ts'

/** Marks a document's notifications as read while it's open. Fails silently and retries on the next visit. */
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
