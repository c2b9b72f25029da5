import { useMutation } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { Button } from '../../components/button.tsx'
import { SettingsSection } from '../../components/settings-section.tsx'
import { explainAuth } from '../../features/account/auth-messages.ts'
import { signOut } from '../../features/account/mutations.ts'
import { NewPasswordForm } from '../../features/account/new-password-form.tsx'
import { SignOutButton } from '../../features/account/sign-out-button.tsx'
import { Factors } from '../../features/security/factors.tsx'
import { SessionCard } from '../../features/security/session-card.tsx'
import { usePageTitle } from '../../lib/page-title.ts'
import { say } from '../../lib/toast.ts'
import { useSession } from '../../lib/use-session.ts'

export const Route = createFileRoute('/_signed-in/settings/security')({ component: Security })

function Security() {
  const session = useSession()
  usePageTitle('Security', 'Settings')
  const elsewhere = useMutation({
    ...signOut,
    onSuccess: () => say({ title: 'You are signed out everywhere else' }),
    onError: (error) => say({ title: explainAuth(error), failed: true }),
  })
  return (
    <>
      <h1 className="mb-6 font-semibold font-serif text-3xl tracking-tight">Security</h1>
      <SettingsSection title="This session">
        <SessionCard session={session} />
        <div className="mt-5 flex flex-wrap gap-2">
          <SignOutButton>Sign out</SignOutButton>
          <Button busy={elsewhere.isPending} onClick={() => elsewhere.mutate('others')}>
            Sign out everywhere else
          </Button>
        </div>
      </SettingsSection>
      <SettingsSection title="Second factor">
        <Factors explain={explainAuth} />
      </SettingsSection>
      <SettingsSection title="Password" lead="Takes effect at once; your other sessions stay.">
        <div className="max-w-md">
          <NewPasswordForm label="Change password" onDone={() => say({ title: 'Your password is changed' })} />
        </div>
      </SettingsSection>
    </>
  )
}
