import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Bell } from 'lucide-react'
import { t } from '../../lib/i18n/i18n.ts'
import { unreadNotificationsQuery } from './queries.ts'

/** The backend counts no further. */
const MAX_COUNT = 100

export function InboxLink() {
  const { data } = useQuery(unreadNotificationsQuery)
  const unread = data?.unread ?? 0
  return (
    <Link
      to="/inbox"
      search={{}}
      aria-label={
        unread > 0
          ? t('{unread, plural, one {Inbox, # unread notification} other {Inbox, # unread notifications}}', {
              unread,
            })
          : t('Inbox')
      }
      className="relative grid size-9 shrink-0 place-items-center rounded-full text-ink-soft hover:bg-hover hover:text-ink"
    >
      <Bell aria-hidden className="size-[1.125rem]" />
      {unread > 0 ? (
        <span
          aria-hidden
          className="absolute -top-0.5 -end-0.5 min-w-4.5 rounded-full bg-accent px-1 text-center font-semibold text-[0.6875rem] text-on-accent leading-[1.125rem] tabular-nums"
        >
          {unread >= MAX_COUNT ? '99+' : unread}
        </span>
      ) : null}
    </Link>
  )
}
