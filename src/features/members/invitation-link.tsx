import { CopyField } from '../../components/copy-field.tsx'
import { Notice } from '../../components/notice.tsx'
import { formatDate } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import type { Invited } from './mutations.ts'

/** An invitation's link, shown once, because only its hash is stored. */
export function InvitationLink({ email, invited }: { email: string; invited: Invited }) {
  const until = formatDate(invited.expires_at)
  return (
    <Notice
      tone={invited.mail === 'sent' ? 'success' : 'info'}
      title={
        {
          sent: t('{email} is invited, and we’ve sent them an email.', { email }),
          limited: t('{email} is invited, but not by email: this hour’s limit is reached.', {
            email,
          }),
          failed: t('{email} is invited, but the email couldn’t be sent.', { email }),
        }[invited.mail]
      }
    >
      <p className="mb-2">
        {t('This link works once, until {until}, for this email. You won’t see it again.', { until })}
      </p>
      <CopyField label={t('Invitation link')} value={`${location.origin}/invite/${invited.token}`} />
    </Notice>
  )
}
