import { Link } from '@tanstack/react-router'
import {
  BadgeCheck,
  BookmarkPlus,
  Check,
  FileText,
  Inbox,
  type LucideIcon,
  MailOpen,
  Trash2,
  TriangleAlert,
  Upload,
  Webhook,
  Workflow,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { Avatar } from '../../components/avatar.tsx'
import { Button } from '../../components/button.tsx'
import { Tooltip } from '../../components/tooltip.tsx'
import { avatarUrl } from '../../domain/avatar-url.ts'
import type { NotificationGroup } from '../../features/notifications/groups.ts'
import type { Notification } from '../../features/notifications/queries.ts'
import { quoteOf, sentence } from '../../features/notifications/sentence.ts'
import { SearchFilter } from '../../features/search/search-filter.ts'
import { formatMoment, formatRelativeTime } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { classNames } from '../../lib/ui/class-names.ts'
import { shortcutLabel } from '../../lib/ui/shortcut.ts'

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
  const shown = notifications.slice(0, SHOWN)
  const isUnread = unread.length > 0
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
          <Target notification={newest} onOpen={onOpen}>
            {titleOf(newest, invitation)}
            {isUnread ? <span className="sr-only"> {t('unread')}</span> : null}
          </Target>
        </p>
        <ul className="mt-1 grid gap-1 text-sm">
          {shown.map((one) => (
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
          <Button
            look="quiet"
            size="small-icon"
            aria-label={t('Mark “{title}” as read', { title: titleOf(newest, invitation) })}
            onClick={onRead}
            className="relative z-10 -me-2"
          >
            <Check aria-hidden />
          </Button>
        </Tooltip>
      ) : null}
    </li>
  )
}

function titleOf(notification: Notification, invitation: InboxRowProps['invitation']): string {
  const { document, kind, library, search, request } = notification
  if (document) return document.title
  if (kind === 'search') return search?.name ?? '…'
  if (kind === 'invitation') return invitation?.library_name ?? t('A library')
  if (kind === 'request') return request?.title ?? '…'
  if (kind === 'webhook') return t('Webhooks of {library}', { library: library?.name ?? '…' })
  if (kind === 'retention') return t('Retention')
  return t('Import into {library}', { library: library?.name ?? '…' })
}

const ICONS: Record<Notification['kind'], LucideIcon> = {
  mention: FileText,
  reply: FileText,
  invitation: MailOpen,
  import: Upload,
  search: BookmarkPlus,
  webhook: Webhook,
  retention: Trash2,
  rule: Workflow,
  verification: BadgeCheck,
  request: Inbox,
  proposal: BadgeCheck,
  approved: BadgeCheck,
  returned: BadgeCheck,
}

function Sender({ notification: { kind, actor, failed } }: { notification: Notification }) {
  if (actor && kind !== 'rule') {
    const { display_name: name, avatar_path } = actor
    return <Avatar decorative name={name} src={avatarUrl(avatar_path)} className="mt-0.5 size-8" />
  }
  const Icon = failed > 0 ? TriangleAlert : ICONS[kind]
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

const LINK = { 'data-row': '', dir: 'auto', className: 'outline-offset-4 after:absolute after:inset-0' }

function Target({
  notification: { kind, library_id: library, document_id: document, comment_id: comment, failed, search, request },
  onOpen,
  children,
}: {
  notification: Notification
  onOpen: () => void
  children: ReactNode
}) {
  if (document) {
    return (
      <Link
        {...LINK}
        to="/l/$library/d/$document"
        params={{ library, document }}
        search={comment ? { comment } : {}}
        onClick={onOpen}
      >
        {children}
      </Link>
    )
  }
  if (kind === 'search' && search) {
    return (
      <Link
        {...LINK}
        to="/l/$library/search"
        params={{ library }}
        search={{ q: search.query, ...SearchFilter.parse(search.filters) }}
        onClick={onOpen}
      >
        {children}
      </Link>
    )
  }
  if (kind === 'request') {
    return (
      <Link
        {...LINK}
        to="/l/$library"
        params={{ library }}
        search={request?.collection_id ? { collection: request.collection_id } : {}}
        onClick={onOpen}
      >
        {children}
      </Link>
    )
  }
  if (kind === 'webhook' || kind === 'retention') {
    const to = kind === 'webhook' ? '/l/$library/settings/webhooks' : '/l/$library/settings/retention'
    return (
      <Link {...LINK} to={to} params={{ library }} onClick={onOpen}>
        {children}
      </Link>
    )
  }
  return kind === 'invitation' ? (
    <Link {...LINK} to="/" onClick={onOpen}>
      {children}
    </Link>
  ) : (
    <Link
      {...LINK}
      to="/l/$library"
      params={{ library }}
      search={failed > 0 ? { state: 'failed' } : {}}
      onClick={onOpen}
    >
      {children}
    </Link>
  )
}
