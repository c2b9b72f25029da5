import { linkOptions } from '@tanstack/react-router'
import {
  BadgeCheck,
  BookmarkPlus,
  FileText,
  Inbox,
  type LucideIcon,
  MailOpen,
  Trash2,
  Upload,
  Webhook,
  Workflow,
} from 'lucide-react'
import { SearchFilter } from '../../domain/document-filter.ts'
import { readableMentions } from '../../domain/note-references.ts'
import type { Notification } from '../../features/notifications/queries.ts'
import { formattingLocale, t } from '../../lib/i18n/i18n.ts'

type Link = ReturnType<typeof toDocument | typeof toLibrary | typeof toSearch | typeof toSettings | typeof toLibraries>

type Kind = {
  icon: LucideIcon
  /** @param names The people who caused it. */
  sentence: (notification: Notification, names: string) => string
  /** The title and link of a notification without a document. */
  title?: (notification: Notification) => string | undefined
  link?: (notification: Notification) => Link
}

/** What each kind of notification says and links to. The function `notify` has the texts of mails. */
const KINDS: Record<Notification['kind'], Kind> = {
  mention: {
    icon: FileText,
    sentence: ({ comment_id, actors }, name) =>
      comment_id
        ? t('{name} mentions you in a comment', { name })
        : t('{count, plural, one {{name} mentions you in this note} other {{name} mention you in this note}}', {
            name,
            count: Math.max(actors.length, 1),
          }),
  },
  reply: { icon: FileText, sentence: (_, name) => t('{name} replied', { name }) },
  invitation: {
    icon: MailOpen,
    sentence: (_, name) => t('{name} invites you', { name }),
    title: () => t('A library'),
    link: () => toLibraries(),
  },
  import: {
    icon: Upload,
    sentence: ({ amount, failed }) =>
      failed > 0
        ? couldNotBeRead(amount, failed)
        : t('{amount, plural, one {Your document has been read.} other {Your # documents have been read.}}', {
            amount,
          }),
    title: ({ library }) => t('Import into {library}', { library: library?.name ?? '…' }),
    link: ({ library_id, failed }) => toLibrary(library_id, failed > 0 ? { state: 'failed' } : {}),
  },
  search: {
    icon: BookmarkPlus,
    sentence: ({ amount, search }) =>
      t('{amount, plural, one {One new passage for “{name}”} other {# new passages for “{name}”}}', {
        amount,
        name: search?.name ?? '…',
      }),
    title: ({ search }) => search?.name,
    link: ({ library_id, search }) => (search ? toSearch(library_id, search) : toLibrary(library_id)),
  },
  rule: {
    icon: Workflow,
    sentence: ({ rule }) => t('The rule “{name}” notified you about this document', { name: rule ?? '…' }),
  },
  webhook: {
    icon: Webhook,
    sentence: () => t('A webhook was turned off: deliveries failed for days, or its receiver no longer exists.'),
    title: ({ library }) => t('Webhooks of {library}', { library: library?.name ?? '…' }),
    link: ({ library_id }) => toSettings('/l/$library/settings/webhooks', library_id),
  },
  retention: {
    icon: Trash2,
    sentence: ({ amount }) =>
      t('Documents a retention rule will move to the trash in about a week: {amount}', { amount }),
    title: () => t('Retention'),
    link: ({ library_id }) => toSettings('/l/$library/settings/retention', library_id),
  },
  verification: { icon: BadgeCheck, sentence: () => t('Please check whether this document is still valid') },
  request: {
    icon: Inbox,
    sentence: ({ amount, request }) =>
      t('{amount, plural, one {A file has} other {# files have}} arrived for “{title}”', {
        amount,
        title: request?.title ?? '…',
      }),
    title: ({ request }) => request?.title,
    link: ({ library_id, request }) =>
      toLibrary(library_id, request?.collection_id ? { collection: request.collection_id } : {}),
  },
  proposal: { icon: BadgeCheck, sentence: (_, name) => t('{name} asks you to approve a change', { name }) },
  approved: { icon: BadgeCheck, sentence: (_, name) => t('{name} approved your change', { name }) },
  returned: { icon: BadgeCheck, sentence: (_, name) => t('{name} sent your change back', { name }) },
}

const toDocument = (library: string, document: string, comment: string | null) =>
  linkOptions({ to: '/l/$library/d/$document', params: { library, document }, search: comment ? { comment } : {} })
const toLibrary = (library: string, search: { state?: 'failed'; collection?: string } = {}) =>
  linkOptions({ to: '/l/$library', params: { library }, search })
const toSearch = (library: string, { query, filters }: NonNullable<Notification['search']>) =>
  linkOptions({ to: '/l/$library/search', params: { library }, search: { q: query, ...SearchFilter.parse(filters) } })
const toSettings = (to: '/l/$library/settings/webhooks' | '/l/$library/settings/retention', library: string) =>
  linkOptions({ to, params: { library } })
const toLibraries = () => linkOptions({ to: '/' })

const couldNotBeRead = (done: number, failed: number): string =>
  done > 0
    ? t('{failed, plural, one {One document} other {# documents}} could not be read, {done} have been read.', {
        failed,
        done,
      })
    : t('{failed, plural, one {Your document could not be read.} other {Your # documents could not be read.}}', {
        failed,
      })

/** Describes a notification in a sentence. `quoteOf` has the comment's text. */
export function sentence(notification: Notification): string {
  const { kind, actor, actors } = notification
  const names = (actor ? [actor] : actors).map(({ display_name }) => display_name)
  const listed = new Intl.ListFormat(formattingLocale(), { type: 'conjunction' }).format(names)
  return KINDS[kind].sentence(notification, listed || t('Someone'))
}

export const quoteOf = ({ comment }: Notification): string | undefined =>
  comment ? readableMentions(comment.body).replaceAll(/\s+/g, ' ').slice(0, 240) : undefined

export const iconOf = ({ kind }: Notification): LucideIcon => KINDS[kind].icon

export const titleOf = (notification: Notification): string =>
  notification.document?.title ?? KINDS[notification.kind].title?.(notification) ?? '…'

export const linkOf = (notification: Notification): Link => {
  const { kind, library_id, document_id, comment_id } = notification
  return document_id
    ? toDocument(library_id, document_id, comment_id)
    : (KINDS[kind].link?.(notification) ?? toLibrary(library_id))
}
