import { useMutation } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useSyncExternalStore } from 'react'
import { Button } from '../../components/button.tsx'
import { FailureNotice } from '../../components/failure-notice.tsx'
import { Notice } from '../../components/notice.tsx'
import { AccountFrame } from '../../features/account/account-frame.tsx'
import { SignOutButton } from '../../features/account/sign-out-button.tsx'
import { acceptInvitation } from '../../features/libraries/mutations.ts'
import { formatDate } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { usePageTitle } from '../../lib/ui/page-title.ts'

const route = getRouteApi('/invite/$token')

export function InvitationScreen() {
  const { token } = route.useParams()
  const { session } = route.useRouteContext()
  const invitation = route.useLoaderData()
  const state = useSyncExternalStore(session.subscribe, session.get)
  const navigate = useNavigate()
  usePageTitle(t('Invitation'))
  const acceptance = useMutation(acceptInvitation)
  const accept = (id: string) =>
    acceptance.mutate(id, { onSuccess: (library) => void navigate({ to: '/l/$library', params: { library } }) })
  if (!invitation) {
    return (
      <AccountFrame title={t('This invitation does not exist')}>
        <Notice tone="error">
          {t('It was withdrawn or replaced by a newer one, or the link is incomplete. Ask whoever invited you.')}
        </Notice>
        <HomeLink />
      </AccountFrame>
    )
  }
  const email = state.status === 'signed-in' ? state.session.user.email : undefined
  const isMine = email?.toLowerCase() === invitation.email
  const values = { who: invitation.invited_by ?? t('Somebody'), library: invitation.library_name }
  const offer = invitation.collection_name
    ? t('{who} opens “{collection}” in {library} to you.', { ...values, collection: invitation.collection_name })
    : {
        guest: '',
        reader: t('{who} invites you to read and comment in {library}.', values),
        editor: t('{who} invites you to read, add and change in {library}.', values),
        owner: t('{who} invites you to own {library} together.', values),
      }[invitation.role]

  if (invitation.state !== 'open') {
    return (
      <AccountFrame title={invitation.library_name}>
        <Notice tone="info">
          {invitation.state === 'accepted'
            ? t('This invitation has been used. It works once.')
            : t('This invitation expired on {date}. Ask for a new one.', { date: formatDate(invitation.expires_at) })}
        </Notice>
        <HomeLink />
      </AccountFrame>
    )
  }
  return (
    <AccountFrame title={invitation.library_name} lead={offer}>
      <div className="grid gap-5">
        <FailureNotice error={acceptance.error} />
        {email === undefined ? (
          <>
            <p className="text-ink-soft text-sm leading-relaxed">
              {t('It is addressed to {email}. Sign in with that address, or create an account for it.', {
                email: invitation.email,
              })}
            </p>
            <div className="grid gap-2">
              <Button look="primary" asChild>
                <Link to="/sign-in" search={{ next: `/invite/${token}` }}>
                  {t('Sign in')}
                </Link>
              </Button>
              <Button asChild>
                <Link to="/sign-up" search={{ next: `/invite/${token}` }}>
                  {t('Create an account')}
                </Link>
              </Button>
            </div>
          </>
        ) : isMine ? (
          <Button look="primary" busy={acceptance.isPending} onClick={() => accept(invitation.id)}>
            {t('Join')}
          </Button>
        ) : (
          <>
            <Notice tone="info">
              {t('It is addressed to {wanted}, but you are signed in as {email}.', {
                wanted: invitation.email,
                email,
              })}
            </Notice>
            <SignOutButton>{t('Sign out and use the other address')}</SignOutButton>
          </>
        )}
        <p className="text-ink-faint text-xs">
          {t('Valid until {date}, for one use.', { date: formatDate(invitation.expires_at) })}
        </p>
      </div>
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
