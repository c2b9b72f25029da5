import { Link } from '@tanstack/react-router'
import { formatMoment, formatRelativeTime } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import type { ReceivedMail } from './queries.ts'

export function ReceivedMails({ library, mails }: { library: string; mails: readonly ReceivedMail[] }) {
  if (mails.length === 0) return <p className="text-ink-faint text-sm">{t('No emails yet.')}</p>
  return (
    <ul aria-label={t('Latest emails')} className="divide-y divide-line rounded-lg border border-line">
      {mails.map((mail) => (
        <li key={mail.id} className="grid gap-0.5 px-3 py-2 text-sm">
          <p className="flex items-baseline justify-between gap-3">
            <span dir="auto" className="min-w-0 truncate font-medium">
              {mail.subject || t('No subject')}
            </span>
            <time
              dateTime={mail.received_at}
              title={formatMoment(mail.received_at)}
              className="shrink-0 text-ink-faint text-xs"
            >
              {formatRelativeTime(mail.received_at)}
            </time>
          </p>
          <p className="flex flex-wrap justify-between gap-x-3 text-ink-soft text-xs">
            <bdi className="min-w-0 truncate">{mail.sender_name || mail.sender_address || t('Unknown sender')}</bdi>
            {mail.outcome === 'added' && mail.document_id ? (
              <Link
                to="/l/$library/d/$document"
                params={{ library, document: mail.document_id }}
                className="rounded underline decoration-line underline-offset-4 hover:text-ink hover:decoration-edge"
              >
                {outcomeOf(mail)}
              </Link>
            ) : (
              <span className={mail.outcome === 'added' ? '' : 'text-danger'}>{outcomeOf(mail)}</span>
            )}
          </p>
        </li>
      ))}
    </ul>
  )
}

function outcomeOf({ outcome, documents }: ReceivedMail): string {
  switch (outcome) {
    case 'added':
      return t('{documents, plural, one {One document added} other {# documents added}}', { documents })
    case 'off':
      return t('Rejected: the address is turned off')
    case 'owner':
      return t('Rejected: the address’s owner can’t add documents')
    case 'sender':
      return t('Rejected: the sender isn’t a member')
    default:
      return t('Rejected: more than 50 attachments')
  }
}
