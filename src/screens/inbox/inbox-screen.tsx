import { useQuery, useSuspenseInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Bell, CheckCheck, History } from 'lucide-react'
import { useRef } from 'react'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { PageHeading } from '../../components/page-heading.tsx'
import { Segmented } from '../../components/segmented.tsx'
import { invitationsQuery } from '../../features/libraries/queries.ts'
import { groupNotifications, type NotificationGroup } from '../../features/notifications/groups.ts'
import { inboxQuery, unreadNotificationsQuery } from '../../features/notifications/queries.ts'
import { useMarking } from '../../features/notifications/use-marking.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { useSession } from '../../lib/session/use-session.ts'
import { usePageTitle } from '../../lib/ui/page-title.ts'
import { shortcutLabel, useShortcut } from '../../lib/ui/shortcut.ts'
import { useListKeys } from '../../lib/ui/use-list-keys.ts'
import { InboxRow } from './inbox-row.tsx'

const route = getRouteApi('/_signed-in/inbox')

export function InboxScreen() {
  const filter = route.useSearch()
  const navigate = route.useNavigate()
  const { user } = useSession()
  const { data, fetchNextPage, hasNextPage, isFetchingNextPage } = useSuspenseInfiniteQuery(inboxQuery(filter))
  const { data: unread } = useQuery(unreadNotificationsQuery)
  const { data: invitations = [] } = useQuery(invitationsQuery(user.id))
  const mark = useMarking()
  const list = useRef<HTMLOListElement>(null)
  usePageTitle(t('Inbox'))

  const isAll = filter.show === 'all'
  const notifications = data.pages.flat()
  const groups = groupNotifications(notifications).filter((group) => isAll || group.unread.length > 0)
  const newest = notifications[0]?.id
  const links = () => [...(list.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])]
  useListKeys(groups.length, (index) => links()[index]?.focus())
  const read = (group: NotificationGroup) => {
    const { document_id: document } = group.notifications[0]
    // Older ones about the document may not be loaded.
    mark(document ? { document } : { ids: group.unread })
  }
  useShortcut('e', () => {
    const index = links().findIndex((link) => link.closest('li')?.contains(globalThis.document.activeElement))
    const group = groups[index]
    if (!group || group.unread.length === 0) return
    // The entry may disappear with the focus.
    const next = links()[isAll ? index : index + 1] ?? links()[index - 1]
    next?.focus()
    read(group)
  })

  return (
    <main id="main" className="mx-auto grid w-full max-w-6xl grid-cols-1 gap-6 px-4 py-8 *:max-w-3xl sm:px-8 sm:py-12">
      <PageHeading
        title={t('Inbox')}
        aside={
          <div className="flex flex-wrap items-center gap-2">
            <Segmented
              label={t('Notifications')}
              value={isAll ? 'all' : 'unread'}
              onChange={(show) => void navigate({ search: show === 'all' ? { show } : {}, replace: true })}
              options={[
                { value: 'unread', label: t('Unread'), icon: Bell },
                { value: 'all', label: t('All'), icon: History },
              ]}
            />
            {newest !== undefined && (unread?.unread ?? 0) > 0 ? (
              <Button icon={CheckCheck} look="quiet" size="small" onClick={() => mark({ upTo: newest })}>
                {t('Mark all as read')}
              </Button>
            ) : null}
          </div>
        }
      >
        {t('Updates from all your libraries.')}
      </PageHeading>
      {groups.length > 0 ? (
        <ol
          ref={list}
          data-letters
          aria-label={t('Notifications')}
          className="divide-y divide-line rounded-lg border border-line bg-surface"
        >
          {groups.map((group) => (
            <InboxRow
              key={group.key}
              group={group}
              invitation={invitations.find(({ id }) => id === group.notifications[0].invitation_id)}
              onRead={() => read(group)}
              onOpen={() => mark({ ids: group.unread }, { silently: true })}
            />
          ))}
        </ol>
      ) : (
        <EmptyState icon={Bell} title={isAll ? t('Nothing yet') : t('You’re all caught up')}>
          {t('Mentions of you, replies, invitations, finished imports and news from your saved searches appear here.')}
        </EmptyState>
      )}
      {hasNextPage ? (
        <Button className="justify-self-center" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t('Show earlier')}
        </Button>
      ) : null}
      {groups.length > 0 ? (
        <p className="text-ink-faint text-xs max-sm:hidden">
          {t('{j} and {k} move between entries, {enter} opens one, {e} marks it as read.', {
            j: shortcutLabel('j'),
            k: shortcutLabel('k'),
            enter: shortcutLabel('Enter'),
            e: shortcutLabel('e'),
          })}
        </p>
      ) : null}
    </main>
  )
}
