import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { Button } from '../../components/button.tsx'
import { SettingsSection } from '../../components/settings-section.tsx'
import { signOut } from '../../features/account/mutations.ts'
import { NewPasswordForm } from '../../features/account/new-password-form.tsx'
import { SignOutButton } from '../../features/account/sign-out-button.tsx'
import { PROVIDERS, waysQuery } from '../../features/account/ways.ts'
import { DeleteAccount } from '../../features/security/delete-account.tsx'
import { EmailForm } from '../../features/security/email-form.tsx'
import { Factors } from '../../features/security/factors.tsx'
import { Identities } from '../../features/security/identities.tsx'
import { Passkeys } from '../../features/security/passkeys.tsx'
import { SessionCard } from '../../features/security/session-card.tsx'
import { SessionList } from '../../features/security/session-list.tsx'
import { explainAuth } from '../../lib/auth-messages.ts'
import { t } from '../../lib/i18n.ts'
import { keys } from '../../lib/keys.ts'
import { usePageTitle } from '../../lib/page-title.ts'
import { say } from '../../lib/toast.ts'
import { useSession } from '../../lib/use-session.ts'

export const Route = createFileRoute('/_signed-in/settings/security')({ component: Security })

function Security() {
  const session = useSession()
  const queryClient = useQueryClient()
  const { data: ways } = useQuery(waysQuery)
  usePageTitle(t('Security'), t('Settings'))
  const elsewhere = useMutation({
    ...signOut,
    onSuccess: () => {
      say({ title: t('You are signed out everywhere else') })
      return queryClient.invalidateQueries({ queryKey: keys.sessions })
    },
    onError: (error) => say({ title: explainAuth(error), failed: true }),
  })
  return (
    <>
      <h1 className="mb-6 font-semibold font-serif text-3xl tracking-tight">{t('Security')}</h1>
      <SettingsSection title={t('This session')}>
        <SessionCard session={session} />
        <div className="mt-5 flex flex-wrap gap-2">
          <SignOutButton>{t('Sign out')}</SignOutButton>
          <Button busy={elsewhere.isPending} onClick={() => elsewhere.mutate('others')}>
            {t('Sign out everywhere else')}
          </Button>
        </div>
      </SettingsSection>
      <SettingsSection title={t('Where you are signed in')}>
        <SessionList />
      </SettingsSection>
      <SettingsSection title={t('Second factor')}>
        <Factors />
      </SettingsSection>
      {ways?.passkeys ? (
        <SettingsSection
          title={t('Passkeys')}
          lead={t('Sign in by fingerprint, face or a security key, without a password.')}
        >
          <Passkeys />
        </SettingsSection>
      ) : null}
      <SettingsSection title={t('Linked accounts')} lead={t('Any of these opens your account.')}>
        <Identities providers={(ways?.providers ?? []).map((provider) => ({ provider, name: PROVIDERS[provider] }))} />
      </SettingsSection>
      <SettingsSection title={t('Address')} lead={t('Invitations are made out to it, and mails go there.')}>
        <EmailForm />
      </SettingsSection>
      <SettingsSection title={t('Password')} lead={t('Takes effect at once; your other sessions stay.')}>
        <div className="max-w-md">
          <NewPasswordForm label={t('Change password')} onDone={() => say({ title: t('Your password is changed') })} />
        </div>
      </SettingsSection>
      <SettingsSection title={t('Delete')}>
        <DeleteAccount email={session.user.email ?? ''} />
      </SettingsSection>
    </>
  )
}
