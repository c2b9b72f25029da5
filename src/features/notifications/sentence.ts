import { readableMentions } from '../../domain/note-references.ts'
import { formattingLocale, t } from '../../lib/i18n/i18n.ts'
import type { Notification } from './queries.ts'

/** Describes a notification in a sentence. `quoteOf` has the comment's text. */
export function sentence({
  kind,
  comment_id,
  amount,
  failed,
  actor,
  actors,
  search,
  rule,
  request,
}: Notification): string {
  const names = (actor ? [actor] : actors).map(({ display_name }) => display_name)
  const name = new Intl.ListFormat(formattingLocale(), { type: 'conjunction' }).format(names) || t('Someone')
  switch (kind) {
    case 'mention':
      return comment_id
        ? t('{name} mentions you in a comment', { name })
        : t('{count, plural, one {{name} mentions you in this note} other {{name} mention you in this note}}', {
            name,
            count: Math.max(names.length, 1),
          })
    case 'reply':
      return t('{name} replied', { name })
    case 'invitation':
      return t('{name} invites you', { name })
    case 'import':
      return failed > 0
        ? couldNotBeRead(amount, failed)
        : t('{amount, plural, one {Your document has been read.} other {Your # documents have been read.}}', { amount })
    case 'retention':
      return t('Documents a retention rule will move to the trash in about a week: {amount}', { amount })
    case 'search':
      return t('{amount, plural, one {One new passage for “{name}”} other {# new passages for “{name}”}}', {
        amount,
        name: search?.name ?? '…',
      })
    case 'webhook':
      return t('A webhook was turned off: deliveries failed for days, or its receiver no longer exists.')
    case 'verification':
      return t('Please check whether this document is still valid')
    case 'request':
      return t('{amount, plural, one {A file has} other {# files have}} arrived for “{title}”', {
        amount,
        title: request?.title ?? '…',
      })
    case 'proposal':
      return t('{name} asks you to approve a change', { name })
    case 'approved':
      return t('{name} approved your change', { name })
    case 'returned':
      return t('{name} sent your change back', { name })
    case 'rule':
      return t('The rule “{name}” notified you about this document', { name: rule ?? '…' })
  }
}

const couldNotBeRead = (done: number, failed: number): string =>
  done > 0
    ? t('{failed, plural, one {One document} other {# documents}} could not be read, {done} have been read.', {
        failed,
        done,
      })
    : t('{failed, plural, one {Your document could not be read.} other {Your # documents could not be read.}}', {
        failed,
      })

export const quoteOf = ({ comment }: Notification): string | undefined =>
  comment ? readableMentions(comment.body).replaceAll(/\s+/g, ' ').slice(0, 240) : undefined
