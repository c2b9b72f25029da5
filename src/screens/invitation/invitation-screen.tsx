import { useMutation } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { AccountFrame } from '../../features/account/account-frame.tsx'
import { JoinForm } from '../../features/account/join-form.tsx'
import { SignOutButton } from '../../features/account/sign-out-button.tsx'
import { acceptInvitation } from '../../features/libraries/mutations.ts'
import { formatDate } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { useStore } from '../../lib/store.ts'
import { usePageTitle } from '../../lib/ui/page-title.ts'
import { ClosedInvitation, MissingInvitation } from './closed-invitation.tsx'
import { type Invitation, offerOf } from './offer.ts'

const route = getRouteApi('/invite/$token')

export function InvitationScreen() {
  const { token } = route.useParams()
  const invitation = route.useLoaderData()
  usePageTitle(t('Invitation'))
  if (!invitation) return <MissingInvitation />
  if (invitation.state !== 'open') return <ClosedInvitation token={token} invitation={invitation} />
  return <OpenInvitation token={token} invitation={invitation} />
}

function OpenInvitation({ token, invitation }: { token: string; invitation: Invitation }) {
  const { key } = route.useSearch()
  const { session } = route.useRouteContext()
  const state = useStore(session)
  const navigate = useNavigate()
  const acceptance = useMutation(acceptInvitation)
  const accept = () =>
    acceptance.mutate(invitation.id, {
      onSuccess: (library) => void navigate({ to: '/l/$library', params: { library } }),
    })
  const user = state.status === 'signed-in' ? state.session.user : undefined
  const signedInAs = user?.email
  const isMine = signedInAs?.toLowerCase() === invitation.email
  // Creating the account signs in, but the form stays, even after a reload, until it's complete.
  const [inviteKey] = useState(user?.user_metadata.display_name === undefined ? key : undefined)
  const { email } = invitation
  const next = `/invite/${token}`

  return (
    <AccountFrame
      title={invitation.library_name}
      lead={offerOf(invitation)}
      footer={
        inviteKey !== undefined && signedInAs === undefined ? (
          <>
            {t('Already have an account?')}{' '}
            <Link to="/sign-in" search={{ next }} className="rounded font-medium text-accent-strong hover:underline">
              {t('Sign in')}
            </Link>
          </>
        ) : undefined
      }
    >
      <div className="grid gap-5">
        <FailureNotice error={acceptance.error} />
        {inviteKey !== undefined && (signedInAs === undefined || isMine) ? (
          <JoinForm token={token} inviteKey={inviteKey} email={email} busy={acceptance.isPending} onReady={accept} />
        ) : signedInAs === undefined ? (
          <>
            <p className="text-ink-soft text-sm leading-relaxed">
              {t('It’s for {email}. Sign in with that email, or create an account for it.', { email })}
            </p>
            <div className="grid gap-2">
              <Button look="primary" asChild>
                <Link to="/sign-in" search={{ next }}>
                  {t('Sign in')}
                </Link>
              </Button>
              <Button asChild>
                <Link to="/sign-up" search={{ next }}>
                  {t('Create an account')}
                </Link>
              </Button>
            </div>
          </>
        ) : isMine ? (
          <Button look="primary" busy={acceptance.isPending} onClick={accept}>
            {t('Join')}
          </Button>
        ) : (
          <>
            <Notice tone="info">
              {t('It’s for {wanted}, but you’re signed in as {email}.', {
                wanted: email,
                email: signedInAs,
              })}
            </Notice>
            <SignOutButton>{t('Sign out and use the other email')}</SignOutButton>
          </>
        )}
        <p className="text-ink-faint text-xs">
          {t('Valid until {date}, for one use.', { date: formatDate(invitation.expires_at) })}
        </p>
      </div>
    </AccountFrame>
  )
}
