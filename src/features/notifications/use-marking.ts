import { type InfiniteData, type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useAction } from '../../domain/failure-toast.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { showToast } from '../../lib/ui/toast.ts'
import { type Read, readNotifications, unreadNotifications } from './mutations.ts'
import { inboxKey, type Notification, type Unread, unreadKey, unreadNotificationsQuery } from './queries.ts'

type Inbox = InfiniteData<Notification[]>

function showAsRead(queryClient: QueryClient, isRead: (notification: Notification) => boolean): void {
  // A pending response lacks this change and would revert it.
  void queryClient.cancelQueries({ queryKey: inboxKey, predicate: ({ state }) => state.data !== undefined })
  const now = new Date().toISOString()
  const marked = new Set<number>()
  const mark = (one: Notification) => {
    if (one.read_at !== null || !isRead(one)) return one
    marked.add(one.id)
    return { ...one, read_at: now }
  }
  queryClient.setQueriesData<Inbox>({ queryKey: inboxKey }, (inbox) =>
    inbox ? { ...inbox, pages: inbox.pages.map((page) => page.map(mark)) } : inbox,
  )
  queryClient.setQueryData<Unread>(unreadKey, (before) =>
    before ? { ...before, unread: Math.max(0, before.unread - marked.size) } : before,
  )
}

/** Returns a function that marks notifications as read, with undo unless `silently`. */
export function useMarking(): (read: Read, options?: { silently?: boolean }) => void {
  const queryClient = useQueryClient()
  const reading = useAction(readNotifications)
  const undoing = useAction(unreadNotifications)
  return (read, { silently = false } = {}) => {
    showAsRead(queryClient, ({ id, document_id }) =>
      'ids' in read ? read.ids.includes(id) : 'document' in read ? document_id === read.document : id <= read.upTo,
    )
    reading.mutate(read, {
      onSuccess: (marked) => {
        if (silently || marked.length === 0) return
        showToast({
          title: t('{count, plural, one {Marked as read} other {# notifications marked as read}}', {
            count: marked.length,
          }),
          action: { label: t('Undo'), onClick: () => undoing.mutate(marked) },
        })
      },
    })
  }
}

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
