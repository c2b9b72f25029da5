import { useMutation, useQuery } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { PermanentDeletion } from '../../components/permanent-deletion.tsx'
import { SettingsSection } from '../../components/settings-section.tsx'
import { describeAuthError } from '../../domain/auth-messages.ts'
import { isCompanyAccount } from '../../domain/company-account.ts'
import { PROVIDERS, signInMethodsQuery } from '../../domain/sign-in-methods.ts'
import { signOut } from '../../features/account/mutations.ts'
import { NewPasswordForm } from '../../features/account/new-password-form.tsx'
import { SignOutButton } from '../../features/account/sign-out-button.tsx'
import { EmailForm } from '../../features/security/email-form.tsx'
import { Factors } from '../../features/security/factors.tsx'
import { Identities } from '../../features/security/identities.tsx'
import { deleteAccount } from '../../features/security/mutations.ts'
import { Passkeys } from '../../features/security/passkeys.tsx'
import { SessionCard } from '../../features/security/session-card.tsx'
import { SessionList } from '../../features/security/session-list.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { useSession } from '../../lib/session/use-session.ts'
import { usePageTitle } from '../../lib/ui/page-title.ts'
import { showToast } from '../../lib/ui/toast.ts'

export function SecurityScreen() {
  const session = useSession()
  usePageTitle(t('Security'), t('Settings'))
  const deletion = useMutation(deleteAccount)
  const signingOutOthers = useMutation({
    ...signOut,
    onSuccess: () => showToast({ title: t('You’re signed out everywhere else') }),
    onError: (error) => showToast({ title: describeAuthError(error), failed: true }),
  })
  return (
    <>
      <h1 className="mb-6 font-semibold font-serif text-3xl tracking-tight">{t('Security')}</h1>
      <SettingsSection title={t('This session')}>
        <SessionCard session={session} />
        <div className="mt-5 flex flex-wrap gap-2">
          <SignOutButton>{t('Sign out')}</SignOutButton>
          <Button busy={signingOutOthers.isPending} onClick={() => signingOutOthers.mutate('others')}>
            {t('Sign out everywhere else')}
          </Button>
        </div>
      </SettingsSection>
      <SettingsSection title={t('Where you’re signed in')}>
        <SessionList />
      </SettingsSection>
      <SettingsSection title={t('Second factor')}>
        <Factors />
      </SettingsSection>
      {isCompanyAccount(session.user) ? (
        <SettingsSection title={t('Company account')}>
          <p className="text-ink-soft text-sm leading-relaxed">
            {t(
              'Your company manages your sign-in and your email. This account has no password, passkey or linked account.',
            )}
          </p>
        </SettingsSection>
      ) : (
        <OwnCredentials />
      )}
      <SettingsSection title={t('Delete')}>
        <PermanentDeletion
          action={t('Delete my account…')}
          title={t('Delete your account?')}
          description={t(
            'Immediately and permanently, along with libraries that have no other members. What you wrote in other libraries stays there without your name.',
          )}
          label={t('Type your email to continue')}
          expected={session.user.email ?? ''}
          mistake={t('That isn’t your email.')}
          type="email"
          deletion={deletion}
        />
      </SettingsSection>
    </>
  )
}

function OwnCredentials() {
  const { data: methods } = useQuery(signInMethodsQuery)
  return (
    <>
      {methods?.passkeys ? (
        <SettingsSection
          title={t('Passkeys')}
          lead={t('Sign in with your fingerprint, face or security key instead of a password.')}
        >
          <Passkeys />
        </SettingsSection>
      ) : null}
      <SettingsSection title={t('Linked accounts')} lead={t('You can sign in with any of these.')}>
        <Identities
          providers={(methods?.providers ?? []).map((provider) => ({ provider, name: PROVIDERS[provider] }))}
        />
      </SettingsSection>
      <SettingsSection title={t('Email')} lead={t('Invitations and notifications go to this address.')}>
        <EmailForm />
      </SettingsSection>
      <SettingsSection title={t('Password')} lead={t('Takes effect immediately. Your other sessions stay signed in.')}>
        <div className="max-w-md">
          <NewPasswordForm
            label={t('Change password')}
            onDone={() => showToast({ title: t('Your password was changed') })}
          />
        </div>
      </SettingsSection>
    </>
  )
}
