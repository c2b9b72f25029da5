import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Button } from '../../components/button.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { AccountFrame } from '../../features/account/account-frame.tsx'
import { askForInvitation } from '../../features/account/invitation.ts'
import { formatDate } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import type { Invitation } from './offer.ts'

export function MissingInvitation() {
  return (
    <AccountFrame title={t('This invitation does not exist')}>
      <Notice tone="error">
        {t('It was withdrawn or replaced by a newer one, or the link is incomplete. Ask the person who invited you.')}
      </Notice>
      <HomeLink />
    </AccountFrame>
  )
}

export function ClosedInvitation({ token, invitation }: { token: string; invitation: Invitation }) {
  const asking = useMutation(askForInvitation)
  if (invitation.state === 'accepted') {
    return (
      <AccountFrame title={invitation.library_name}>
        <Notice tone="info">{t('This invitation has been used. It works once.')}</Notice>
        <HomeLink />
      </AccountFrame>
    )
  }
  return (
    <AccountFrame title={invitation.library_name}>
      <div className="grid justify-items-start gap-5">
        <FailureNotice error={asking.error} />
        {asking.isSuccess ? (
          <Notice tone="success">
            {t('We asked an owner of the library for you. They can send a new link to {email}.', {
              email: invitation.email,
            })}
          </Notice>
        ) : (
          <>
            <Notice tone="info">
              {t('This invitation expired on {date}.', { date: formatDate(invitation.expires_at) })}
            </Notice>
            <Button look="primary" busy={asking.isPending} onClick={() => asking.mutate(token)}>
              {t('Ask for a new one')}
            </Button>
          </>
        )}
      </div>
      <HomeLink />
    </AccountFrame>
  )
}

function HomeLink() {
  return (
    <Button asChild className="mt-6">
      <Link to="/">{t('My libraries')}</Link>
    </Button>
  )
}
