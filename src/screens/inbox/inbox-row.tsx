import { Link } from '@tanstack/react-router'
import { Check, TriangleAlert } from 'lucide-react'
import { Avatar } from '../../components/avatar.tsx'
import { IconButton } from '../../components/button.tsx'
import { Tooltip } from '../../components/tooltip.tsx'
import { avatarUrl } from '../../domain/avatar-url.ts'
import type { NotificationGroup } from '../../features/notifications/groups.ts'
import type { Notification } from '../../features/notifications/queries.ts'
import { formatMoment, formatRelativeTime } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { classNames } from '../../lib/ui/class-names.ts'
import { shortcutLabel } from '../../lib/ui/shortcut.ts'
import { iconOf, linkOf, quoteOf, sentence, titleOf } from './notification-kinds.ts'

type InboxRowProps = {
  group: NotificationGroup
  invitation: { library_name: string } | undefined
  onRead: () => void
  onOpen: () => void
}

const SHOWN = 3

export function InboxRow({ group, invitation, onRead, onOpen }: InboxRowProps) {
  const { notifications, unread } = group
  const [newest] = notifications
  const visible = notifications.slice(0, SHOWN)
  const isUnread = unread.length > 0
  const title = newest.kind === 'invitation' && invitation ? invitation.library_name : titleOf(newest)
  return (
    <li
      className={classNames(
        'group relative flex gap-3 px-4 py-3.5 first:rounded-t-lg last:rounded-b-lg focus-within:bg-hover hover:bg-hover',
        !isUnread && 'text-ink-soft',
      )}
    >
      <span
        aria-hidden
        className={classNames('mt-3 size-2 shrink-0 rounded-full', isUnread ? 'bg-accent' : 'bg-transparent')}
      />
      <Sender notification={newest} />
      <div className="min-w-0 flex-1">
        <p className="flex min-w-0 items-baseline gap-2 text-ink-faint text-xs">
          <span className="truncate">{newest.library?.name ?? invitation?.library_name ?? ''}</span>
          <time
            dateTime={newest.created_at}
            title={formatMoment(newest.created_at)}
            className="ms-auto shrink-0 tabular-nums"
          >
            {formatRelativeTime(newest.created_at)}
          </time>
        </p>
        <p className={classNames('font-serif [overflow-wrap:anywhere]', isUnread && 'font-semibold text-ink')}>
          <Link
            {...linkOf(newest)}
            data-row=""
            dir="auto"
            className="outline-offset-4 after:absolute after:inset-0"
            onClick={onOpen}
          >
            {title}
            {isUnread ? <span className="sr-only"> {t('unread')}</span> : null}
          </Link>
        </p>
        <ul className="mt-1 grid gap-1 text-sm">
          {visible.map((one) => (
            <li key={one.id} className="min-w-0 [overflow-wrap:anywhere]">
              {sentence(one)}
              {quoteOf(one) ? (
                <span dir="auto" className="line-clamp-2 text-ink-faint">
                  {quoteOf(one)}
                </span>
              ) : null}
            </li>
          ))}
        </ul>
        {notifications.length > SHOWN ? (
          <p className="mt-1 text-ink-faint text-xs">
            {t('{count, plural, one {and one more} other {and # more}}', { count: notifications.length - SHOWN })}
          </p>
        ) : null}
      </div>
      {isUnread ? (
        <Tooltip text={t('Mark as read')} shortcut={shortcutLabel('e')}>
          <IconButton
            icon={Check}
            label={t('Mark “{title}” as read', { title })}
            onClick={onRead}
            className="relative z-10 -me-2"
          />
        </Tooltip>
      ) : null}
    </li>
  )
}

function Sender({ notification }: { notification: Notification }) {
  const { kind, actor, failed } = notification
  if (actor && kind !== 'rule') {
    const { display_name: name, avatar_path } = actor
    return <Avatar decorative name={name} src={avatarUrl(avatar_path)} className="mt-0.5 size-8" />
  }
  const Icon = failed > 0 ? TriangleAlert : iconOf(notification)
  return (
    <span
      className={classNames(
        'mt-0.5 grid size-8 shrink-0 place-items-center rounded-full bg-sunken',
        failed > 0 ? 'text-danger' : 'text-ink-faint',
      )}
    >
      <Icon aria-hidden className="size-4" />
    </span>
  )
}
